/**
 * Turns a scenario of one daemon into one of several replicas, and draws what goes wrong among
 * them.
 */
import { COMMIT_POINTS, DECIDED_POINTS, REPLICA_POINTS } from "../run/crash-points.ts";
import type { Dice } from "./dice.ts";
import { drawBursts } from "./draw-bursts.ts";
import type { Scenario, Step } from "./scenario.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { byTime } from "./draw-world.ts";

const MIN_MS = 60_000;
/** More than the longest pause between two attempts, which is 70 minutes. */
const MAX_CALM_MS = 80 * MIN_MS;

export function drawFleet(dice: Dice, scenario: Scenario, replicas: number): Scenario {
  if (replicas === 1) return scenario;
  const times = (least: number, most: number) =>
    Array.from({ length: dice.int(least, most) }, () => dice.int(MIN_MS, scenario.busyMs - MIN_MS));
  const replica = () => dice.int(0, replicas - 1);
  const point = () => dice.pick(dice.chance(0.3) ? REPLICA_POINTS.own : REPLICA_POINTS.common);
  const own = scenario.steps.flatMap((step): readonly Step[] => {
    // All replicas use the database server's clock, so steps that set a replica's clock are
    // dropped.
    if (step.do === "jump" || (step.do === "crash" && step.point.startsWith("store.setTimesBack:")))
      return [];
    if (step.do === "crash")
      return [{ ...step, replica: replica(), point: dice.chance(0.3) ? point() : step.point }];
    return [step.do === "restart" ? { ...step, replica: replica() } : step];
  });
  const stalls = times(0, 3).map((atMs): Step => {
    const forMs = dice.pick([2_000, 14_000, 17_000, 40_000, 3 * MIN_MS]);
    return { do: "stall", atMs, replica: replica(), point: point(), nth: dice.int(1, 5), forMs };
  });
  const cuts = times(0, 3).map(
    (atMs): Step => ({
      do: "cut off",
      atMs,
      replica: replica(),
      point: dice.pick(COMMIT_POINTS),
      nth: dice.int(1, 3),
    }),
  );
  // Three replicas without late timers take ten times as long to simulate.
  const lateMs = dice.chance(1 / 40) ? 0 : dice.pick([900, 2_900, 2_900]);
  const crashes = times(0, 2).map((atMs): Step => {
    const downMs = dice.pick([0, 1_000, 60_000]);
    return { do: "crash", atMs, replica: replica(), point: point(), nth: dice.int(1, 3), downMs };
  });
  const situations = times(1, 3).flatMap((atMs) => {
    const [one = 0, other = 1] = dice.shuffled(Array.from({ length: replicas }, (_, n) => n));
    return dice.chance(0.5)
      ? stallOnceDecided(dice, atMs, one)
      : joinWhileSending(scenario, atMs, { one, other });
  });
  // A replica waits for one point at a time, and a later step replaces that wait.
  const isClear = (step: Step) =>
    !situations.some(
      ({ atMs, ...of }) =>
        replicaOf(of) === replicaOf(step) &&
        step.atMs >= atMs &&
        step.atMs < atMs + scenario.busyMs / 3,
    );
  const others = [...crashes, ...stalls, ...cuts].filter(isClear);
  const fleet = {
    ...scenario,
    replicas,
    lateMs,
    calmMs: Math.min(scenario.calmMs, MAX_CALM_MS),
    steps: [...own, ...others, ...situations].sort(byTime),
  };
  const busy = dice.chance(0.4) ? drawBursts(dice, fleet) : fleet;
  const parts = times(0, 2).map((atMs): Step => {
    const forMs = dice.pick([3_000, 12_000, 40_000, 3 * MIN_MS]);
    return {
      do: "part",
      atMs,
      replica: replica(),
      point: dice.pick(COMMIT_POINTS),
      nth: dice.int(1, 3),
      forMs,
    };
  });
  const startsMs = dice.chance(0.5)
    ? []
    : Array.from({ length: replicas }, () => dice.int(0, 10) * 100);
  const steps = [...busy.steps, ...parts.filter(isClear)];
  return { ...busy, startsMs, steps: drawAways(dice, scenario.busyMs, steps).sort(byTime) };
}

const BY_HAND = /^(?:pause|resume|silence|end silence|reload|backfill|ask)$/;

/**
 * Draws shutdowns of the server. People change nothing meanwhile: a refused act is repeated later.
 */
function drawAways(dice: Dice, busyMs: number, steps: readonly Step[]): Step[] {
  if (dice.chance(0.6)) return [...steps];
  const forMs = dice.pick([5_000, 45_000, 2 * MIN_MS, 5 * MIN_MS]);
  const away = {
    do: "server away" as const,
    atMs: dice.int(2 * MIN_MS, busyMs - 8 * MIN_MS),
    forMs,
  };
  const backMs = away.atMs + forMs + MIN_MS;
  const isByHand = ({ do: what, atMs }: Step): boolean =>
    BY_HAND.test(what) && atMs >= away.atMs - 5_000 && atMs < backMs;
  return [...steps.map((step) => (isByHand(step) ? { ...step, atMs: backMs } : step)), away];
}

const replicaOf = (step: object): number | undefined =>
  "replica" in step ? (step.replica as number) : undefined;

/** Stalls a replica once it has decided something. Others take over from it meanwhile. */
function stallOnceDecided(dice: Dice, atMs: number, replica: number): readonly Step[] {
  const forMs = dice.pick([40_000, 3 * MIN_MS]);
  return [
    {
      do: "stall",
      atMs,
      replica,
      point: dice.pick(DECIDED_POINTS),
      nth: 1,
      forMs,
      withinMs: 15 * MIN_MS,
    },
  ];
}

/** Starts `one`, which gets a share of the work of `other` while that one waits for an answer. */
function joinWhileSending(
  { config }: Scenario,
  atMs: number,
  { one, other }: { readonly one: number; readonly other: number },
): readonly Step[] {
  const sinks = Object.keys(config["sinks"] as JsonObject);
  return [
    ...sinks.map((sink): Step => ({ do: "sink trouble", atMs, sink, kind: "sluggish" })),
    {
      do: "restart",
      atMs,
      replica: one,
      downMs: 15 * MIN_MS,
      until: { replica: other, point: "store.seal:answer" },
    },
  ];
}
