/**
 * Draws a whole configuration: watches, sinks, the route tree between them, and every other
 * section.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS, IGNORE_FILES, WATCHED } from "./cast.ts";
import type { Dice } from "./dice.ts";
import { withEscalations } from "./draw-acts.ts";
import {
  drawSink,
  drawSinkDefaults,
  drawDedupe,
  drawDigest,
  drawThrottle,
  type SinkScene,
} from "./draw-sink.ts";
import { TEMPLATES } from "./draw-templates.ts";
import { drawWatch, drawWatchDefaults, TWEET_TYPES, type WatchScene } from "./draw-watch.ts";
import type { ConfigText } from "./scenario.ts";

export interface DrawnConfig {
  readonly config: ConfigText;
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly { readonly key: string; readonly quota: number }[];
}

export function drawConfig(dice: Dice): DrawnConfig {
  const files: Record<string, string> = {
    "accounts.txt": `${dice.some(WATCHED, 1).join("\n")}\n# nobody\n`,
  };
  for (const [name, lines] of Object.entries(IGNORE_FILES)) files[name] = `${lines.join("\n")}\n`;
  const file = (name: string, text: string) => {
    files[name] = text;
    return `/etc/chirpwatch/${name}`;
  };
  const intervals = dice.chance(0.5) ? drawIntervals(dice) : {};
  const templates = dice.chance(0.5) ? TEMPLATES : {};
  const names = { intervals: Object.keys(intervals), templates: Object.keys(templates) };
  const shared = { dice, file, ...names };
  const sinks = drawSinks(shared);
  const sinkNames = Object.keys(sinks);
  const hasTree = dice.chance(0.8);
  const hasDefaults = dice.chance(0.3);
  const scene = { dice, sinkNames, hasTree, hasDefaults };
  const watches: Record<string, JsonObject> = Object.fromEntries(
    Array.from({ length: dice.pick([1, 1, 2, 2, 3, 4]) }, (_, n) => [`w${n}`, drawWatch(scene)]),
  );
  const route = hasTree
    ? drawRoot({ dice, sinks: sinkNames, ...names, ...matchersFor(watches) })
    : undefined;
  const { api, keys } = drawApi(dice, file);
  const config = {
    ...(dice.likes("version") ? { version: 1 } : {}),
    api,
    ...(dice.likes("state")
      ? { state: { retention: dice.pick(["30d", "90d"]), must_exist: false } }
      : {}),
    server: drawServer(dice, file),
    ...(dice.likes("ops") ? { ops: drawOps(dice, sinkNames) } : {}),
    ...(hasDefaults ? { defaults: drawDefaults(scene, sinks, shared) } : {}),
    ...(dice.likes("links")
      ? { links: { host: dice.pick(["https://x.com", "https://nitter.example"]) } }
      : {}),
    ...(Object.keys(intervals).length === 0 ? {} : { time_intervals: intervals }),
    ...(Object.keys(templates).length === 0 ? {} : { templates }),
    watches,
    ...(route === undefined ? {} : { route }),
    sinks,
  };
  const drawn = JSON.parse(JSON.stringify(config)) as ConfigText;
  return { config: withEscalations(dice.apart("escalations"), drawn), files, keys };
}

type Shared = Pick<SinkScene, "dice" | "file" | "intervals" | "templates">;

function drawSinks(shared: Shared): Record<string, JsonObject> {
  const { dice } = shared;
  const count = dice.pick([1, 2, 2, 3, 4]);
  const types = Array.from({ length: count }, () =>
    dice.pick([
      "webhook",
      "webhook",
      "slack",
      "discord",
      "telegram",
      "teams",
      "apprise",
      "chat_webhook",
      "email",
      "file",
      "exec",
    ]),
  );
  const sinks = Object.fromEntries(
    types.map((type, index) => [
      `s${index}`,
      drawSink({ ...shared, name: `s${index}`, index }, type),
    ]),
  );
  return dice.chance(0.2)
    ? { ...sinks, console: drawSink({ ...shared, name: "console", index: 99 }, "console") }
    : sinks;
}

/** Moves bot tokens from the sinks to the defaults, if all sinks of a type have one. */
function drawDefaults(
  scene: WatchScene,
  sinks: Record<string, JsonObject>,
  shared: Shared,
): JsonObject {
  const { dice } = scene;
  const types = [...new Set(Object.values(sinks).map(({ type }) => type as string))].filter(
    (type) => type !== "console" && dice.chance(0.7),
  );
  const defaults = types.map((type) => {
    const own = Object.entries(sinks).filter(([, sink]) => sink["type"] === type);
    const isToken =
      dice.likes("default token") &&
      own.every(([, sink]) => sink["token"] !== undefined || sink["token_file"] !== undefined);
    for (const [name, { token: _token, token_file: _file, ...rest }] of isToken ? own : [])
      sinks[name] = rest;
    return [type, drawSinkDefaults(shared, type, isToken)];
  });
  return {
    watch: drawWatchDefaults(scene),
    ...(defaults.length === 0 ? {} : { sink: Object.fromEntries(defaults) as JsonObject }),
  };
}

function drawServer(dice: Dice, file: (name: string, text: string) => string): JsonObject {
  const token = dice.chance(0.5)
    ? { token: "t0ken-of-some-length" }
    : { token_file: file("server-token", "t0ken-of-some-length") };
  return {
    listen: dice.pick(["127.0.0.1:0", "127.0.0.1:9464"]),
    ...(dice.likes("server.public_url") ? { public_url: "https://cw.example.com" } : {}),
    ...(dice.likes("server.token") ? token : {}),
  };
}

function drawOps(dice: Dice, sinkNames: readonly string[]): JsonObject {
  return {
    sink: dice.chance(0.7) ? dice.pick(sinkNames) : [...dice.some(sinkNames, 1, 2)],
    ...(dice.likes("heartbeat")
      ? {
          heartbeat: {
            url: "https://beat.example/alive",
            ...(dice.chance(0.5) ? { interval: "5m" } : {}),
          },
        }
      : {}),
  };
}

/** Far more requests than a scenario takes. */
export const ENOUGH_REQUESTS = 1_000_000;

function drawApi(
  dice: Dice,
  file: (name: string, text: string) => string,
): { readonly api: JsonObject; readonly keys: DrawnConfig["keys"] } {
  // The first key can pay for everything, while the others may be spent soon. Now and then all keys
  // are.
  const isSpent = dice.chance(0.08);
  const keys = Array.from({ length: dice.pick([1, 2, 2, 3]) }, (_, n) => ({
    key: `KEY-${n}`,
    quota: isSpent || (n > 0 && dice.likes("small keys")) ? dice.pick([15, 60]) : ENOUGH_REQUESTS,
  }));
  const names = dice.shuffled(["main", "spare", "third"]);
  const many = keys.map(({ key }, n): Json => {
    if (dice.chance(0.2)) return key;
    const secret = dice.chance(0.3) ? { key_file: file(`key-${n}`, key) } : { key };
    const monthly = n > 0 && dice.likes("small limits") ? dice.pick([20, 80]) : 500_000;
    return {
      ...secret,
      ...(dice.chance(0.8) ? { name: names[n] as string } : {}),
      ...(dice.chance(0.4) ? { monthly } : {}),
    };
  });
  const one: JsonObject = dice.chance(0.3) ? { key_file: file("key", "KEY-0") } : { key: "KEY-0" };
  const api: JsonObject = {
    base_url: "https://service.example",
    ...(keys.length > 1 || dice.chance(0.3) ? { keys: many } : one),
    ...(dice.likes("api.timeout") ? { timeout: dice.pick(["5s", "30s", "1m"]) } : {}),
    ...(dice.likes("api.rate_limit")
      ? { rate_limit: { count: dice.int(2, 20), interval: dice.pick(["1s", "2s"]) } }
      : {}),
    ...(dice.likes("api.quota") ? { quota: drawQuota(dice) } : {}),
  };
  return { api, keys };
}

function drawQuota(dice: Dice): JsonObject {
  return {
    ...(dice.likes("quota.monthly") ? { monthly: 500_000 } : {}),
    ...(dice.likes("quota.reset_day") ? { reset_day: dice.pick([1, 7, 28]) } : {}),
    ...(dice.likes("quota.timezone")
      ? { timezone: dice.pick(["Europe/Berlin", "America/New_York", "Pacific/Auckland"]) }
      : {}),
    ...(dice.likes("quota.reserve") ? { reserve: dice.pick<Json>(["20%", 0.05, "0%"]) } : {}),
    ...(dice.likes("quota.on_exhausted") ? { on_exhausted: dice.pick(["degrade", "pause"]) } : {}),
    ...(dice.likes("quota.price")
      ? { price: { per_request: 0.002, ...(dice.chance(0.5) ? { currency: "€" } : {}) } }
      : {}),
  };
}

const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"];

function drawIntervals(dice: Dice): Record<string, Json> {
  const clock = () =>
    `${String(dice.int(0, 23)).padStart(2, "0")}:${dice.pick(["00", "15", "30", "59"])}`;
  const one = (): JsonObject => ({
    ...(dice.chance(0.8)
      ? { times: Array.from({ length: dice.int(1, 2) }, () => ({ start: clock(), end: clock() })) }
      : {}),
    ...(dice.chance(0.4)
      ? { weekdays: dice.pick<Json>(["saturday", "monday:friday", ["sunday", "tuesday:thursday"]]) }
      : {}),
    ...(dice.chance(0.6) ? { timezone: dice.pick(ZONES) } : {}),
  });
  return Object.fromEntries(
    Array.from({ length: dice.int(1, 2) }, (_, n) => [
      `n${n}`,
      Array.from({ length: dice.int(1, 2) }, one),
    ]),
  );
}

const MATCHERS = [
  ...[
    'author=~"anna0|boris1"',
    'author!~"a.*"',
    'lang="en"',
    'lang!="ja"',
    'kind="reply"',
    'kind=~"post|quote"',
  ],
  ...[
    'event="tweet.created"',
    'event=~"tweet.*"',
    'severity="info"',
    'target!="nobody"',
    'conversation!=""',
  ],
];
/** Matches matchers on labels that only alerts about tweets have. */
const TWEET_MATCHERS = /^(?:author|lang|kind|conversation|event)\b/;
const LABELS = ["watch", "author", "lang", "kind", "target", "conversation", "type"];

/**
 * Returns matchers with labels and ids that the watches have. The configuration refuses a matcher
 * that could never match.
 */
export function matchersFor(
  watches: Readonly<Record<string, JsonObject>>,
): Pick<RouteScene, "matchers" | "labels"> {
  const labels = Object.keys(
    Object.assign(
      {},
      ...Object.values(watches).map((watch) => watch["labels"] ?? {}),
    ) as JsonObject,
  );
  const own = Object.entries(watches).flatMap(([id, { type }]) => [
    `watch="${id}"`,
    `watch!="${id}"`,
    `type="${type as string}"`,
  ]);
  const team = labels.includes("team") ? ['team="comms"', 'team!="comms"', 'team=~"c.*|"'] : [];
  const tier = labels.includes("tier") ? ['tier="one"', 'tier=""'] : [];
  const isTweets = Object.values(watches).some(({ type }) => TWEET_TYPES.includes(type as string));
  const general = isTweets ? MATCHERS : MATCHERS.filter((matcher) => !TWEET_MATCHERS.test(matcher));
  return { matchers: [...general, ...own, ...team, ...tier], labels: [...LABELS, ...labels] };
}

interface RouteScene {
  readonly dice: Dice;
  readonly sinks: readonly string[];
  readonly intervals: readonly string[];
  readonly templates: readonly string[];
  readonly matchers: readonly string[];
  readonly labels: readonly string[];
}

export function drawRoot(scene: RouteScene): JsonObject {
  const { matchers: _none, where: _all, continue: _never, ...root } = drawRoute(scene, 2);
  return { ...root, sink: root["sink"] ?? scene.dice.pick(scene.sinks) };
}

function drawRoute(scene: RouteScene, depth: number): JsonObject {
  const { dice, sinks, intervals, templates } = scene;
  const isNested = depth > 0 && dice.chance(0.6);
  // The times of a group have no effect without a group.
  const groupBy = dice.likes("route.group_by")
    ? { group_by: [...dice.some(scene.labels, 0, 2)] }
    : {};
  const isGrouped = (groupBy.group_by?.length ?? 0) > 0;
  return {
    ...(dice.chance(0.9) ? { matchers: [...dice.some(scene.matchers, 1, 2)] } : {}),
    ...(dice.chance(0.7)
      ? { sink: dice.chance(0.7) ? dice.pick(sinks) : [...dice.some(sinks, 1, 3)] }
      : {}),
    ...(dice.likes("route.continue") ? { continue: dice.chance(0.8) } : {}),
    ...groupBy,
    ...(dice.chance(isGrouped ? 0.7 : 0.1) ? { group_wait: dice.pick(["10s", "30s", "2m"]) } : {}),
    ...(dice.chance(isGrouped ? 0.7 : 0.1)
      ? { group_interval: dice.pick(["30s", "2m", "10m"]) }
      : {}),
    ...(dice.likes("route.where") ? { where: dice.pick(CONDITIONS).text } : {}),
    ...(intervals.length > 0 && dice.chance(0.5)
      ? { mute_time_intervals: [...dice.some(intervals, 1)] }
      : {}),
    ...(intervals.length > 0 && dice.likes("route.active")
      ? { active_time_intervals: [...dice.some(intervals, 1)] }
      : {}),
    ...(dice.likes("route.on_mute") ? { on_mute: dice.pick(["hold", "drop"]) } : {}),
    ...(dice.likes("route.digest") ? { digest: dice.chance(0.2) ? false : drawDigest(dice) } : {}),
    ...(dice.likes("route.dedupe") ? { dedupe: dice.chance(0.2) ? false : drawDedupe(dice) } : {}),
    ...(dice.likes("route.repeat_interval")
      ? { repeat_interval: dice.chance(0.2) ? false : dice.pick(["10m", "1h"]) }
      : {}),
    ...(dice.likes("route.send_resolved") ? { send_resolved: dice.chance(0.8) } : {}),
    ...(dice.likes("route.throttle") ? { throttle: drawThrottle(dice) } : {}),
    ...(templates.length > 0 && dice.likes("route.template")
      ? { template: dice.pick(templates) }
      : {}),
    ...(isNested
      ? { routes: Array.from({ length: dice.int(1, 3) }, () => drawRoute(scene, depth - 1)) }
      : {}),
  };
}
