/**
 * Keeps a scenario affordable. One with thousands of requests takes seconds of CPU time and finds
 * no more than several small ones. Works on the drawn scenario, so that one below the limit is not
 * changed. A scenario that is too large is first shortened, with everything that happens in it, and
 * then polled less often.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { ConfigText, Scenario, Step } from "./scenario.ts";

/**
 * The limits of a scenario, counted in regular polls. Later pages, rechecks and retries come on
 * top; shared polls save some.
 */
const MOST = { requests: 75, busyMs: 60 * 60_000 };
/** The limits with several replicas, which cost more because they watch each other all the time. */
const MAX_OF_SEVERAL = { requests: 50, busyMs: 25 * 60_000 };
const SHORTEST_BUSY_MS = 25 * 60_000;
/** The calm usually lasts this long until everything has arrived. */
const USUAL_CALM_MS = 16 * 60_000;

export function limitRequests(scenario: Scenario): Scenario {
  const most = scenario.replicas === undefined ? MOST : MAX_OF_SEVERAL;
  const share = most.requests / expectedRequests(scenario);
  if (share >= 1 && scenario.busyMs <= most.busyMs) return scenario;
  const busyMs = Math.min(most.busyMs, Math.max(share * scenario.busyMs, SHORTEST_BUSY_MS));
  const shorter = shorten(scenario, busyMs / scenario.busyMs);
  const factor = Math.ceil(expectedRequests(shorter) / most.requests);
  return factor > 1 ? mapConfigs(shorter, (config) => slowDown(config, factor)) : shorter;
}

function expectedRequests({
  config,
  steps,
  files,
  busyMs,
  mode,
  calmMs,
  isWholeCalm,
}: Scenario): number {
  const perMinute = [
    config,
    ...steps.flatMap((step) => (step.do === "reload" ? [step.config] : [])),
  ].map((one) => requestRate(one, files));
  const lengthMs = busyMs + (mode === "safety" ? 0 : isWholeCalm ? calmMs : USUAL_CALM_MS);
  return (Math.max(...perMinute) * lengthMs) / 60_000;
}

/** Returns the requests per minute. */
function requestRate(config: ConfigText, files: Scenario["files"]): number {
  const defaults = ((config["defaults"] as JsonObject | undefined)?.["watch"] ?? {}) as JsonObject;
  const linesInFile = (files["accounts.txt"] ?? "").split("\n").length;
  return Object.values(config["watches"] as JsonObject).reduce<number>((sum, watch) => {
    const keys = withDefaults(watch as JsonObject, defaults);
    if (keys["enabled"] === false) return sum;
    const targets = (keys["accounts"] ?? keys["tweets"] ?? [0]) as readonly Json[];
    const count = targets.reduce<number>(
      (all, one) => all + (typeof one === "object" ? linesInFile : 1),
      0,
    );
    return sum + (count * 60_000) / intervalOf(keys);
  }, 0);
}

/**
 * Merges `defaults.watch` into a watch. A watch with a schedule or a freshness inherits neither.
 */
const withDefaults = (
  own: JsonObject,
  { schedule, freshness, ...others }: JsonObject,
): JsonObject => {
  const timing =
    own["schedule"] !== undefined || own["freshness"] !== undefined
      ? {}
      : freshness === undefined
        ? { schedule }
        : { freshness };
  return { ...others, ...(timing as JsonObject), ...own };
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000 };
const durationOf = (text: string): number =>
  Number.parseInt(text, 10) * (UNITS[text.at(-1) ?? ""] ?? 0);

/** Returns the polling interval. Understands only the schedules that scenarios draw. */
function intervalOf({ schedule, freshness }: JsonObject): number {
  if (typeof freshness === "string") return durationOf(freshness);
  if (freshness !== undefined) return durationOf((freshness as JsonObject)["mean"] as string);
  const text = cronOf(schedule ?? "@every 2m");
  if (text.startsWith("@every ")) return durationOf(text.slice(7));
  return Number(/\*\/(\d+)/.exec(text)?.[1] ?? 1) * 60_000;
}

const cronOf = (schedule: Json): string =>
  typeof schedule === "string" ? schedule : ((schedule as JsonObject)["cron"] as string);

/** Returns the same scenario in less time. */
function shorten(scenario: Scenario, share: number): Scenario {
  const scaled = (atMs: number): number => Math.round(atMs * share);
  const steps = scenario.steps.map((step): Step => {
    const atMs = scaled(step.atMs);
    if (step.do !== "order" || step.body["ends_at"] === undefined) return { ...step, atMs };
    // The Space ends at this moment, in the service's format.
    return {
      ...step,
      atMs,
      body: { ...step.body, ends_at: new Date(scenario.startMs + atMs).toISOString() },
    };
  });
  return { ...scenario, busyMs: scaled(scenario.busyMs), steps };
}

const mapConfigs = (scenario: Scenario, map: (config: ConfigText) => ConfigText): Scenario => ({
  ...scenario,
  config: map(scenario.config),
  steps: scenario.steps.map((step) =>
    step.do === "reload" ? { ...step, config: map(step.config) } : step,
  ),
});

function slowDown(config: ConfigText, factor: number): ConfigText {
  const slower = (keys: JsonObject): JsonObject => ({
    ...keys,
    ...(keys["schedule"] === undefined
      ? {}
      : { schedule: slowerSchedule(keys["schedule"], factor) }),
    ...(keys["freshness"] === undefined
      ? {}
      : { freshness: slowerFreshness(keys["freshness"], factor) }),
  });
  const watches = Object.entries(config["watches"] as JsonObject).map(
    ([name, keys]) => [name, slower(keys as JsonObject)] as const,
  );
  const defaults = config["defaults"] as JsonObject | undefined;
  return {
    ...config,
    watches: Object.fromEntries(watches),
    ...(defaults === undefined
      ? {}
      : { defaults: { ...defaults, watch: slower(defaults["watch"] as JsonObject) } }),
  };
}

/** The longest interval that the other drawn times, such as the time without events, allow. */
const LONGEST_INTERVAL_MS = 20 * 60_000;

const slowerDuration = (text: string, factor: number): string =>
  `${Math.min(durationOf(text) * factor, Math.max(durationOf(text), LONGEST_INTERVAL_MS)) / 1_000}s`;

function slowerFreshness(freshness: Json, factor: number): Json {
  if (typeof freshness === "string") return slowerDuration(freshness, factor);
  const limits = freshness as Readonly<Record<string, string>>;
  // Both limits are changed by the same factor, because a mean needs room below the longest
  // interval.
  const most = Math.max(...Object.values(limits).map(durationOf));
  const both = Math.max(1, Math.min(factor, Math.floor(LONGEST_INTERVAL_MS / most)));
  return Object.fromEntries(
    Object.entries(limits).map(([key, text]) => [key, slowerDuration(text, both)]),
  );
}

/** Minutes that divide an hour, so that a cron pattern stays regular. */
const CRON_MINUTES = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20];

function slowerSchedule(schedule: Json, factor: number): Json {
  if (typeof schedule !== "string")
    return { ...(schedule as JsonObject), cron: slowerSchedule(cronOf(schedule), factor) };
  if (schedule.startsWith("@every ")) return `@every ${slowerDuration(schedule.slice(7), factor)}`;
  const fields = schedule.split(" ");
  const wanted = (intervalOf({ schedule }) / 60_000) * factor;
  const minutes = CRON_MINUTES.find((one) => one >= wanted) ?? 20;
  return fields.with(fields.length === 6 ? 1 : 0, `*/${minutes}`).join(" ");
}
