/**
 * Draws a whole scenario from a seed: its start time, its configuration, its world, and what goes
 * wrong.
 */
import { drawConfig, ENOUGH_REQUESTS } from "./draw-config.ts";
import { byTime, drawBefore, drawPosts } from "./draw-world.ts";
import { drawActs } from "./draw-acts.ts";
import { drawFacts, drawFactsBefore } from "./draw-facts.ts";
import { drawFleet } from "./draw-fleet.ts";
import { limitRequests } from "./limit-requests.ts";
import { drawTroubles } from "./draw-troubles.ts";
import { createDice, type Dice } from "./dice.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { ConfigText, Scenario, Step } from "./scenario.ts";

/**
 * Draws a scenario. `replicas` is the number of daemons. By default one in six scenarios has two or
 * three.
 */
export function drawScenario(seed: number, replicas?: number): Scenario {
  const { scenario, isUnlimited } = drawWhole(seed, replicas);
  return isUnlimited ? scenario : limitRequests(scenario);
}

/** Draws a scenario that keeps its length, for a mistake that needs it. */
export const drawUnlimited = (seed: number): Scenario => drawWhole(seed).scenario;

function drawWhole(
  seed: number,
  replicas?: number,
): { readonly scenario: Scenario; readonly isUnlimited: boolean } {
  const dice = createDice(seed);
  const startMs = drawStart(dice);
  const busyMs = dice.pick([40, 90, 180]) * 60_000;
  const { config, files, keys } = drawConfig(dice);
  const before = [...drawBefore(dice), ...drawFactsBefore(dice, startMs)];
  // Nothing can be expected to arrive when the quota runs out.
  const isPaid = keys.some(({ quota }) => quota === ENOUGH_REQUESTS);
  const mode = dice.chance(0.6) && isPaid ? "liveness" : "safety";
  const troubles = drawTroubles(dice, config, busyMs);
  const configs = [
    config,
    ...troubles.flatMap((step) => (step.do === "reload" ? [step.config] : [])),
  ];
  const heals = mode === "liveness" ? drawHeals(configs, busyMs) : [];
  const calmMs = mode === "liveness" ? 150 * 60_000 : 0;
  const steps = [
    ...withoutRepeatedRetweets(drawPosts(dice, busyMs)),
    ...drawFacts({ dice, busyMs, startMs, types: typesIn(configs) }),
    ...troubles.filter(({ atMs }) => atMs <= busyMs),
    ...heals,
    ...drawActs(dice.apart("acts"), busyMs),
  ].sort(byTime);
  const isWholeCalm = dice.chance(0.1);
  // Now and then a large scenario keeps its size, because some mistakes need length.
  const isUnlimited = dice.chance(0.02);
  const scenario: Scenario = {
    seed,
    mode,
    startMs,
    busyMs,
    calmMs,
    isWholeCalm,
    config,
    files,
    keys,
    before,
    steps,
  };
  const fleet = drawFleet(dice, scenario, replicas ?? drawReplicas(dice));
  return { scenario: fleet, isUnlimited };
}

/** Draws the number of replicas last, so that the rest of a scenario does not depend on it. */
const drawReplicas = (dice: Dice): number => (dice.chance(1 / 6) ? dice.int(2, 3) : 1);

/** Turns repeated retweets into quotes, because the service lets nobody retweet a post twice. */
function withoutRepeatedRetweets(posts: readonly Step[]): readonly Step[] {
  const retweeted = new Set<string>();
  return posts.map((step) => {
    if (step.do !== "post" || step.kind !== "retweet") return step;
    const key = `${step.by} ${step.of}`;
    if (retweeted.has(key)) return { ...step, kind: "quote" };
    retweeted.add(key);
    return step;
  });
}

const typesIn = (configs: readonly ConfigText[]): readonly string[] =>
  configs.flatMap((config) =>
    Object.values(config["watches"] as JsonObject).map(
      (watch) => (watch as JsonObject)["type"] as string,
    ),
  );

/** Ends everything that fails. */
function drawHeals(configs: readonly ConfigText[], atMs: number): readonly Step[] {
  const names = (key: string) => [
    ...new Set(configs.flatMap((config) => Object.keys(config[key] as JsonObject))),
  ];
  return [
    { do: "service heals", atMs },
    ...names("sinks").map((sink): Step => ({ do: "sink heals", atMs, sink })),
    ...names("watches").map((watch): Step => ({ do: "resume", atMs, watch })),
  ];
}

/** Draws the start time, often one at which calendars and clocks behave oddly. */
function drawStart(dice: Dice): number {
  const odd = [
    Date.UTC(2026, 2, 29, 0, 10), // Berlin's clocks go forward at 01:00 UTC
    Date.UTC(2026, 9, 25, 0, 20), // and back
    Date.UTC(2026, 2, 8, 6, 30), // New York's at 07:00
    Date.UTC(2026, 10, 1, 5, 15),
    Date.UTC(2026, 7, 31, 23, 20), // a month ends
    Date.UTC(2026, 11, 31, 22, 50), // and a year
    Date.UTC(2028, 1, 28, 23, 30), // before a leap day
    Date.UTC(2026, 5, 6, 23, 15), // the quota's other reset day
  ];
  const base = dice.chance(0.4)
    ? dice.pick(odd)
    : Date.UTC(2026, dice.int(0, 11), dice.int(1, 28)) + dice.int(0, 24 * 60) * 60_000;
  return base + dice.int(0, 59_999);
}
