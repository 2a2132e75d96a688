/**
 * Draws a change of a configuration that leaves alone what is read: conditions, thresholds, sinks,
 * the route tree, and what sinks do with alerts.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { CONDITIONS } from "../draw/cast.ts";
import type { Dice } from "../draw/dice.ts";
import { drawRoot, matchersFor } from "../draw/draw-config.ts";
import { drawDedupe, drawDigest, drawThrottle } from "../draw/draw-sink.ts";
import { TWEET_TYPES } from "../draw/draw-watch.ts";
import type { ConfigText } from "../draw/scenario.ts";

type Change = (config: ConfigText, dice: Dice) => ConfigText;

const sectionOf = (config: ConfigText, key: string): Readonly<Record<string, JsonObject>> =>
  (config[key] ?? {}) as Readonly<Record<string, JsonObject>>;
const namesIn = (config: ConfigText, key: string): readonly string[] =>
  Object.keys(sectionOf(config, key));

function put(config: ConfigText, section: string, name: string, change: JsonObject): ConfigText {
  const all = sectionOf(config, section);
  return { ...config, [section]: { ...all, [name]: { ...all[name], ...change } } };
}

/** Changes one of the watches for which `change` returns something. */
const ofWatch =
  (change: (watch: JsonObject, dice: Dice) => JsonObject | undefined): Change =>
  (config, dice) => {
    for (const name of dice.shuffled(namesIn(config, "watches"))) {
      const changed = change(sectionOf(config, "watches")[name] ?? {}, dice);
      if (changed !== undefined) return put(config, "watches", name, changed);
    }
    return config;
  };

const ofSink =
  (change: (dice: Dice, config: ConfigText) => JsonObject): Change =>
  (config, dice) =>
    put(config, "sinks", dice.pick(namesIn(config, "sinks")), change(dice, config));

const isOfTweets = ({ type }: JsonObject): boolean => TWEET_TYPES.includes(type as string);

/** Scales the number of each threshold. */
const scaled = (when: JsonObject, dice: Dice): JsonObject =>
  Object.fromEntries(
    Object.entries(when).map(([name, text]) => {
      const factor = dice.pick([0.1, 0.5, 2, 5]);
      const next = (text as string).replace(/[\d.]+/, (number) => String(Number(number) * factor));
      return [name, next];
    }),
  );

const OF_EVALUATION: readonly Change[] = [
  ofWatch((watch, dice) =>
    isOfTweets(watch)
      ? { where: dice.chance(0.2) ? "true" : dice.pick(CONDITIONS).text }
      : undefined,
  ),
  ofWatch((watch, dice) =>
    isOfTweets(watch)
      ? {
          ignore: {
            authors: [...dice.some<Json>(["clara2", "@dan3", { file: "ignored.txt" }], 0)],
            words: [...dice.some<Json>(["giveaway", "delta", "bolt"], 0)],
          },
          include: Object.fromEntries(
            ["replies", "retweets", "quotes"].map((key) => [key, dice.chance(0.5)]),
          ),
        }
      : undefined,
  ),
  ofWatch(({ when }, dice) =>
    when === undefined ? undefined : { when: scaled(when as JsonObject, dice) },
  ),
  ofWatch(({ type }, dice) =>
    type === "trends" ? { tell: [...dice.some(["entered", "left", "moved"], 1)] } : undefined,
  ),
];

const OF_ROUTING: readonly Change[] = [
  (config, dice) =>
    put(config, "watches", dice.pick(namesIn(config, "watches")), {
      sink: [...dice.some(namesIn(config, "sinks"), 1, 3)],
    }),
  (config, dice) => ({
    ...config,
    route: drawRoot({
      dice,
      sinks: namesIn(config, "sinks"),
      intervals: namesIn(config, "time_intervals"),
      templates: namesIn(config, "templates"),
      ...matchersFor(sectionOf(config, "watches")),
    }),
  }),
  ofSink((dice) => ({ throttle: dice.chance(0.3) ? false : drawThrottle(dice) })),
  ofSink((dice) => ({ digest: dice.chance(0.3) ? false : drawDigest(dice) })),
  ofSink((dice) => ({ dedupe: dice.chance(0.3) ? false : drawDedupe(dice) })),
  ofSink((dice, config) => {
    const intervals = namesIn(config, "time_intervals");
    return intervals.length === 0
      ? {}
      : {
          mute_time_intervals: [...dice.some(intervals, 1)],
          on_mute: dice.pick(["hold", "drop"]),
        };
  }),
];

/** Returns the configuration with two to four changes, some of which may find nothing to change. */
export function drawChange(dice: Dice, config: ConfigText): ConfigText {
  const changes = [
    ...Array.from({ length: dice.int(1, 2) }, () => dice.pick(OF_EVALUATION)),
    ...Array.from({ length: dice.int(1, 2) }, () => dice.pick(OF_ROUTING)),
  ];
  const changed = changes.reduce((before, change) => change(before, dice), config);
  return JSON.parse(JSON.stringify(changed)) as ConfigText;
}
