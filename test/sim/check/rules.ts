/**
 * A configuration as the checker reads it: defaults filled in, durations in milliseconds. Written
 * from the documentation, not from the daemon's code.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { ConfigText } from "../draw/scenario.ts";

export interface WatchRules {
  readonly id: string;
  readonly type: string;
  /** All keys of the watch, with those of `defaults.watch` filled in. */
  readonly keys: JsonObject;
  /** The watch's own sinks. Undefined: the route tree decides. */
  readonly sinks: readonly string[] | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly isEnabled: boolean;
  /** The longest time between two polls of the watch. */
  readonly gapMs: number;
  readonly maxAgeMs: number;
  readonly overlapMs: number;
  /** The longest time between two full polls of a probed account. */
  readonly fullPollMs: number;
}

export interface Throttle {
  readonly limit: number;
  readonly intervalMs: number;
  readonly digestIntervalMs: number;
}

/** A digest with a schedule. */
export interface WrittenDigest {
  /** The longest time between two digests. */
  readonly gapMs: number;
  readonly maxItems: number;
}

export interface WrittenDedupe {
  readonly key: readonly string[];
  readonly windowMs: number;
}

/** The settings of alerts on values; undefined where the configuration has none. */
export interface WrittenLevels {
  readonly repeatMs: number | false | undefined;
  readonly sendResolved: boolean | undefined;
}

/** A step of `escalate`. */
export interface WrittenStep {
  readonly afterMs: number;
  readonly sink: string;
  readonly when: string | undefined;
}

/** The steps of `escalate`. False: nobody is notified, whatever the sink says. */
type WrittenEscalation = readonly WrittenStep[] | false | undefined;

export interface SinkRules {
  readonly name: string;
  readonly type: string;
  readonly keys: JsonObject;
  readonly isChat: boolean;
  readonly retryForMs: number;
  readonly throttle: Throttle | undefined;
  readonly hours: WrittenHours;
  readonly digest: WrittenDigest | undefined;
  /** The `dedupe` of the sink. False: none. Undefined: the default of its type. */
  readonly dedupe: WrittenDedupe | false | undefined;
  readonly levels: WrittenLevels;
  readonly escalate: WrittenEscalation;
}

/** The hours at which alerts are sent, as far as they are configured. */
export interface WrittenHours {
  readonly mutes: readonly Interval[] | undefined;
  readonly actives: readonly Interval[] | undefined;
  readonly onMute: string | undefined;
}

export interface RouteRules {
  readonly path: string;
  readonly matchers: readonly string[];
  readonly where: string | undefined;
  readonly sinks: readonly string[];
  readonly isContinuing: boolean;
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly hours: WrittenHours;
  readonly throttle: Throttle | undefined;
  /** The digest of the route. False: none, whatever the sink says. */
  readonly digest: WrittenDigest | false | undefined;
  readonly dedupe: WrittenDedupe | false | undefined;
  /** The route's own template. */
  readonly template: string | undefined;
  readonly levels: WrittenLevels;
  readonly escalate: WrittenEscalation;
  readonly routes: readonly RouteRules[];
}

/** A named time interval. */
export type Interval = readonly {
  readonly times: readonly { readonly start: string; readonly end: string }[];
  readonly weekdays: readonly string[];
  readonly timezone: string;
}[];

export interface Rules {
  readonly watches: ReadonlyMap<string, WatchRules>;
  readonly sinks: ReadonlyMap<string, SinkRules>;
  readonly root: RouteRules | undefined;
  readonly ops: readonly string[];
  readonly linksHost: string;
  readonly reports: ReadonlyMap<string, ReportRules>;
}

export interface ReportRules {
  readonly everyMs: number;
  readonly sinks: readonly string[];
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export function msOf(text: Json | undefined, otherwise: number): number {
  if (typeof text !== "string") return otherwise;
  const parts = [...text.matchAll(/(\d+)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
}

const object = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
/** Returns the value of a text key. */
export const textOf = (value: Json | undefined, otherwise = ""): string =>
  typeof value === "string" ? value : otherwise;
const list = (value: Json | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as string[]) : [textOf(value)];

export function rulesOf(config: ConfigText): Rules {
  const defaults = object(config["defaults"]);
  const intervals = object(config["time_intervals"]);
  const sinks = Object.entries(object(config["sinks"])).map(([name, keys]) =>
    sinkOf(name, object(keys), object(defaults["sink"]), intervals),
  );
  const watches = Object.entries(object(config["watches"])).map(([id, keys]) =>
    watchOf(id, object(keys), object(defaults["watch"])),
  );
  const names = sinks.map(({ name }) => name);
  const written = config["route"];
  const only = names.length === 1 ? { sink: names } : undefined;
  const root = written === undefined ? (only as JsonObject | undefined) : object(written);
  return {
    watches: new Map(watches.map((watch) => [watch.id, watch])),
    sinks: new Map(sinks.map((sink) => [sink.name, sink])),
    root: root === undefined ? undefined : routeOf(root, "0", undefined, intervals),
    ops: list(object(config["ops"])["sink"]),
    linksHost: textOf(object(config["links"])["host"], "https://x.com"),
    reports: new Map(
      Object.entries(object(config["reports"])).map(([name, keys]) => [
        name,
        { everyMs: msOf(object(keys)["schedule"], 0), sinks: list(object(keys)["sink"]) },
      ]),
    ),
  };
}

function watchOf(id: string, own: JsonObject, defaults: JsonObject): WatchRules {
  const merged = (key: string) => ({ ...object(defaults[key]), ...object(own[key]) });
  const timing =
    own["schedule"] !== undefined || own["freshness"] !== undefined
      ? ["schedule", "freshness"]
      : [];
  const inherited = Object.fromEntries(
    Object.entries(defaults).filter(([key]) => !timing.includes(key)),
  );
  const keys: JsonObject = {
    ...inherited,
    ...own,
    labels: merged("labels"),
    include: merged("include"),
  };
  const gapMs = gapOf(keys);
  const maxAgeMs = msOf(keys["max_age"], Math.max(86_400_000, 2 * gapMs));
  return {
    id,
    type: textOf(own["type"]),
    keys,
    sinks: keys["sink"] === undefined ? undefined : list(keys["sink"]),
    labels: merged("labels") as Readonly<Record<string, string>>,
    isEnabled: keys["enabled"] !== false,
    gapMs,
    maxAgeMs,
    overlapMs: msOf(keys["overlap"], 15 * 60_000),
    fullPollMs: msOf(keys["full_poll_every"], maxAgeMs / 2),
  };
}

/**
 * Returns the longest time between two polls. Understands only the schedules that scenarios draw.
 */
function gapOf({ schedule, freshness }: JsonObject): number {
  if (freshness !== undefined)
    return typeof freshness === "string"
      ? 4 * msOf(freshness, 0)
      : msOf(object(freshness)["max"], 0);
  const text =
    typeof schedule === "string" ? schedule : textOf(object(schedule)["cron"], "@every 5m");
  if (text.startsWith("@every")) return msOf(text.slice(7), 0);
  const fields = text.split(" ");
  const [minute = "*"] = fields.length === 6 ? fields.slice(1) : fields;
  return minute.startsWith("*/")
    ? Number(minute.slice(2)) * 60_000
    : minute === "*"
      ? 60_000
      : 3_600_000;
}

const CHATS = new Set([
  "slack",
  "discord",
  "telegram",
  "teams",
  "apprise",
  "chat_webhook",
  "email",
]);

function sinkOf(
  name: string,
  own: JsonObject,
  defaults: JsonObject,
  intervals: JsonObject,
): SinkRules {
  const type = textOf(own["type"]);
  // A sink's own secret replaces the default one, even if one is in a file and the other is not.
  const plain = (key: string) => key.replace(/_file$/, "");
  const replaced = new Set(Object.keys(own).map(plain));
  const inherited = Object.entries(object(defaults[type])).filter(
    ([key]) => !replaced.has(plain(key)),
  );
  const keys: JsonObject = { ...Object.fromEntries(inherited), ...own };
  const isChat = CHATS.has(type);
  const standard = isChat
    ? { limit: 30, intervalMs: 600_000, digestIntervalMs: 120_000 }
    : undefined;
  return {
    ...{ name, type, keys, isChat },
    retryForMs: msOf(keys["retry_for"], (isChat ? 24 : 76) * 3_600_000),
    throttle: keys["throttle"] === undefined ? standard : throttleOf(keys["throttle"]),
    hours: hoursOf(keys, intervals),
    digest: digestOf(keys["digest"]) || undefined,
    dedupe: dedupeOf(keys["dedupe"]),
    levels: levelsOf(keys),
    escalate: stepsOf(keys["escalate"]),
  };
}

function hoursOf(keys: JsonObject, intervals: JsonObject): WrittenHours {
  const named = (names: Json | undefined) =>
    names === undefined ? undefined : list(names).map((name) => intervalOf(intervals[name]));
  const onMute = keys["on_mute"] === undefined ? undefined : textOf(keys["on_mute"]);
  return {
    mutes: named(keys["mute_time_intervals"]),
    actives: named(keys["active_time_intervals"]),
    onMute,
  };
}

function throttleOf(written: Json | undefined): Throttle | undefined {
  if (written === undefined || written === false) return undefined;
  const { limit, interval, digest_interval: digestInterval } = object(written);
  const intervalMs = msOf(interval, 0);
  return {
    limit: Number(limit),
    intervalMs,
    digestIntervalMs: msOf(digestInterval, Math.min(120_000, intervalMs)),
  };
}

const levelsOf = ({
  repeat_interval: repeat,
  send_resolved: resolved,
}: JsonObject): WrittenLevels => ({
  repeatMs: typeof repeat === "string" ? msOf(repeat, 0) : repeat === false ? false : undefined,
  sendResolved: typeof resolved === "boolean" ? resolved : undefined,
});

function dedupeOf(written: Json | undefined): WrittenDedupe | false | undefined {
  if (written === undefined || written === false) return written;
  const { key, window } = object(written);
  return { key: list(key), windowMs: msOf(window, 86_400_000) };
}

function stepsOf(written: Json | undefined): WrittenEscalation {
  if (written === undefined || written === false) return written;
  return (written as readonly JsonObject[]).map(({ after, sink, when }) => ({
    afterMs: msOf(after, 0),
    sink: textOf(sink),
    when: when === undefined ? undefined : textOf(when),
  }));
}

function digestOf(written: Json | undefined): WrittenDigest | false | undefined {
  if (written === undefined || written === false) return written;
  const { schedule = "", max_items: maxItems } = object(written);
  const text = typeof schedule === "string" ? schedule : textOf(object(schedule)["cron"]);
  const step = /^\*\/(\d+) /.exec(text)?.[1];
  const gapMs = text.startsWith("@every")
    ? msOf(text.slice(7), 0)
    : step === undefined
      ? 86_400_000
      : Number(step) * 60_000;
  return { gapMs, maxItems: Number(maxItems ?? 100) };
}

/**
 * Creates a route. Children inherit the sink and its grouping. Hours, throttles, `where` and
 * `continue` are each route's own.
 */
function routeOf(
  own: JsonObject,
  path: string,
  parent: RouteRules | undefined,
  intervals: JsonObject,
): RouteRules {
  const route: RouteRules = {
    path,
    matchers: list(own["matchers"]),
    where: own["where"] === undefined ? undefined : textOf(own["where"]),
    sinks: own["sink"] === undefined ? (parent?.sinks ?? []) : list(own["sink"]),
    isContinuing: own["continue"] === true,
    groupBy: own["group_by"] === undefined ? (parent?.groupBy ?? []) : list(own["group_by"]),
    groupWaitMs: msOf(own["group_wait"], parent?.groupWaitMs ?? 0),
    groupIntervalMs: msOf(own["group_interval"], parent?.groupIntervalMs ?? 0),
    hours: hoursOf(own, intervals),
    throttle: throttleOf(own["throttle"]),
    digest: digestOf(own["digest"]),
    dedupe: dedupeOf(own["dedupe"]),
    template: own["template"] === undefined ? undefined : textOf(own["template"]),
    levels: levelsOf(own),
    escalate: stepsOf(own["escalate"]),
    routes: [],
  };
  const children = (own["routes"] ?? []) as readonly JsonObject[];
  return {
    ...route,
    routes: children.map((child, n) => routeOf(child, `${path}.${n}`, route, intervals)),
  };
}

const intervalOf = (written: Json | undefined): Interval =>
  (written as readonly JsonObject[]).map(({ times, weekdays, timezone }) => ({
    times: (times ?? []) as readonly { readonly start: string; readonly end: string }[],
    weekdays: list(weekdays),
    timezone: textOf(timezone, "UTC"),
  }));
