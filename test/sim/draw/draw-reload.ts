/**
 * Draws changes of the configuration while the daemon runs. Each is the whole file as it is from
 * then on.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { Dice } from "./dice.ts";
import { changeEscalations } from "./draw-acts.ts";
import { drawThrottle } from "./draw-sink.ts";
import { drawWatch } from "./draw-watch.ts";
import type { ConfigText, Step } from "./scenario.ts";

type Change = (config: ConfigText, dice: Dice, nth: number) => ConfigText;

const sectionOf = (config: ConfigText, key: string): JsonObject =>
  (config[key] ?? {}) as JsonObject;
const put = (config: ConfigText, section: string, name: string, change: JsonObject): ConfigText => {
  const all = sectionOf(config, section);
  return { ...config, [section]: { ...all, [name]: { ...(all[name] as JsonObject), ...change } } };
};
const without = (config: ConfigText, section: string, name: string): ConfigText => {
  const { [name]: _gone, ...rest } = sectionOf(config, section);
  return { ...config, [section]: rest };
};
const namesIn = (config: ConfigText, section: string): readonly string[] =>
  Object.keys(sectionOf(config, section));

/** Removes repeats from lists of sinks in which two names have become one. */
function withoutRepeats(value: Json): Json {
  if (Array.isArray(value))
    return [
      ...new Map(
        (value as readonly Json[]).map((one) => [JSON.stringify(one), withoutRepeats(one)]),
      ).values(),
    ];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutRepeats(inner as Json)]),
  );
}

const CHANGES: readonly Change[] = [
  (config, dice) => {
    const name = dice.pick(namesIn(config, "watches"));
    const sinks = namesIn(config, "sinks");
    const own = sectionOf(config, "watches")[name] as JsonObject;
    return put(config, "watches", name, {
      ...(own["freshness"] === undefined
        ? { schedule: dice.pick(["@every 30s", "@every 1m", "@every 3m"]) }
        : {}),
      ...(dice.chance(0.5) ? { priority: dice.pick(["high", "normal", "low"]) } : {}),
      ...(dice.chance(0.4) ? { sink: dice.pick(sinks) } : {}),
      ...(dice.chance(0.3) ? { max_pages: dice.int(1, 3) } : {}),
    });
  },
  (config, dice) =>
    put(config, "watches", dice.pick(namesIn(config, "watches")), { enabled: dice.chance(0.4) }),
  // Reorders the accounts of a watch.
  (config, dice) => {
    const name = dice.pick(namesIn(config, "watches"));
    const { accounts } = sectionOf(config, "watches")[name] as JsonObject;
    return Array.isArray(accounts)
      ? put(config, "watches", name, { accounts: [...(accounts as readonly Json[])].reverse() })
      : config;
  },
  // Renames a watch, some of them a second time, also in the route tree.
  (config, dice, nth) => {
    const name = dice.pick(namesIn(config, "watches"));
    if (/^w[23]\d$/.test(name)) return config;
    const next = `w${(name.length > 2 ? 30 : 10) + nth}`;
    const renamed = JSON.parse(
      JSON.stringify(config).replaceAll(new RegExp(`\\b${name}\\b`, "g"), next),
    ) as ConfigText;
    return put(renamed, "watches", next, { moved_from: name });
  },
  (config, dice, nth) => {
    const hasTree = config["route"] !== undefined;
    return put(
      config,
      "watches",
      `w${20 + nth}`,
      drawWatch({
        dice,
        hasDefaults: config["defaults"] !== undefined,
        hasTree,
        sinkNames: namesIn(config, "sinks"),
      }),
    );
  },
  // Removes a watch, which comes back with the first file. Some watches are paused meanwhile.
  // Nothing else may refer to its name or its labels.
  (config, dice) => {
    const others = JSON.stringify({ ...config, watches: {} });
    const watches = sectionOf(config, "watches");
    const names = Object.keys(watches);
    const free = names.filter(
      (name) =>
        !new RegExp(`\\b${name}\\b`).test(others) &&
        (watches[name] as JsonObject)["labels"] === undefined,
    );
    return names.length > 1 && free.length > 0
      ? without(config, "watches", dice.pick(free))
      : config;
  },
  // Removes a sink. Its waiting alerts wait until the sink is back.
  (config, dice) => {
    const [name = "", ...others] = dice.shuffled(
      namesIn(config, "sinks").filter((one) => one !== "console"),
    );
    const [other] = others;
    if (other === undefined) return config;
    const sinks = sectionOf(without(config, "sinks", name), "sinks");
    const text = JSON.stringify({ ...config, sinks: {} }).replaceAll(`"${name}"`, `"${other}"`);
    return { ...(withoutRepeats(JSON.parse(text) as JsonObject) as ConfigText), sinks };
  },
  (config, dice) =>
    put(config, "sinks", dice.pick(namesIn(config, "sinks")), {
      throttle: dice.chance(0.3) ? false : drawThrottle(dice),
    }),
  (config, dice) => {
    const route = config["route"] as JsonObject | undefined;
    if (route === undefined) return config;
    return {
      ...config,
      route: {
        ...route,
        group_wait: dice.pick(["10s", "1m"]),
        group_interval: dice.pick(["30s", "5m"]),
      },
    };
  },
];

/** A reload of an unchanged configuration. */
const SAME: Change = (config) => config;

export function drawReloads(
  dice: Dice,
  first: ConfigText,
  times: readonly number[],
): readonly Step[] {
  let config = first;
  const apart = dice.apart("reloads");
  const firstNames = new Map<string, string>();
  return [...times]
    .sort((a, b) => a - b)
    .map((atMs, nth): Step => {
      const isBack = nth > 0 && dice.chance(0.4);
      const changed = isBack
        ? backTo(first, config, firstNames)
        : (dice.chance(0.1) ? SAME : dice.pick(CHANGES))(config, dice, nth);
      config = changeEscalations(apart, JSON.parse(JSON.stringify(changed)) as ConfigText);
      for (const [name, keys] of Object.entries(sectionOf(config, "watches"))) {
        const before = (keys as JsonObject)["moved_from"];
        if (typeof before === "string" && !firstNames.has(name))
          firstNames.set(name, firstNames.get(before) ?? before);
      }
      return { do: "reload", atMs, config };
    });
}

/** Returns to the first file. A watch that was renamed gets its old name back. */
function backTo(
  first: ConfigText,
  config: ConfigText,
  firstNames: ReadonlyMap<string, string>,
): ConfigText {
  const present = sectionOf(config, "watches");
  return Object.keys(present).reduce((back, name) => {
    const before = firstNames.get(name);
    return before !== undefined && before in sectionOf(first, "watches") && !(before in present)
      ? put(back, "watches", before, { moved_from: name })
      : back;
  }, first);
}
