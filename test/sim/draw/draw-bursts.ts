/**
 * Draws bursts of more than a page for replicas, with a pause and an outage of the service around
 * some of them. The schedules need all of the quota, so posts found late depend on the few pages
 * that the month has to spare.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { BURST_AUTHOR, BURST_QUERIES, BURST_WORD } from "./cast.ts";
import { ENOUGH_REQUESTS } from "./draw-config.ts";
import type { Dice } from "./dice.ts";
import type { ConfigText, Scenario, Step } from "./scenario.ts";

const MIN_MS = 60_000;
const BURSTS = 3;
/** A page has 20. */
const POSTS = { least: 24, most: 44 };
/** Enough searches that each of two replicas has at least one. */
const WATCHES = BURST_QUERIES.map((_, n) => `catch${n}`);
const MONTHLY = 90_000;

/** Draws the bursts. Returns the scenario unchanged if its keys are soon spent. */
export function drawBursts(dice: Dice, scenario: Scenario): Scenario {
  const [key] = scenario.keys;
  if (key?.quota !== ENOUGH_REQUESTS) return scenario;
  const bursts = Array.from({ length: BURSTS }, (_, n) =>
    burstSteps(dice, n, dice.int(5 * MIN_MS, scenario.busyMs - 2 * MIN_MS)),
  );
  const steps = scenario.steps.map((step) =>
    step.do === "reload" ? { ...step, config: withSearches(step.config, key.key) } : step,
  );
  const all = [...steps, ...bursts.flat()].filter(({ atMs }) => atMs <= scenario.busyMs);
  const heals =
    scenario.mode === "liveness"
      ? WATCHES.map((watch): Step => ({ do: "resume", atMs: scenario.busyMs, watch }))
      : [];
  return {
    ...scenario,
    keys: [key],
    config: withSearches(scenario.config, key.key),
    steps: [...all, ...heals],
  };
}

function burstSteps(dice: Dice, burst: number, atMs: number): readonly Step[] {
  const posts = Array.from({ length: dice.int(POSTS.least, POSTS.most) }, (_, n): Step => {
    const name = `c${burst}x${n}`;
    return {
      do: "post",
      atMs: atMs + n * 20,
      name,
      by: BURST_AUTHOR,
      text: `${BURST_WORD} tk${name}`,
      kind: "post",
    };
  });
  const around: readonly (readonly Step[])[] = [
    [],
    WATCHES.flatMap((watch): readonly Step[] => [
      { do: "pause", atMs: atMs - 2_000, watch },
      { do: "resume", atMs: atMs + dice.pick([6_000, 60_000]), watch },
    ]),
    [
      {
        do: "service fault",
        atMs: atMs - 5_000,
        name: "server_error",
        forMs: dice.pick([20_000, 90_000]),
      },
    ],
  ];
  return [...dice.pick(around), ...posts];
}

/** Removes low priority, because only that one is slowed down before much of the quota is spent. */
const withoutLow = (keys: Json | undefined): JsonObject => {
  const { priority, ...others } = (keys ?? {}) as JsonObject;
  return priority === undefined || priority === "low" ? others : { ...others, priority };
};

function withSearches(config: ConfigText, key: string): ConfigText {
  const [sink] = Object.keys(config["sinks"] as JsonObject);
  const watches = Object.entries(config["watches"] as JsonObject).map(
    ([id, own]) => [id, withoutLow(own)] as const,
  );
  const shared = {
    type: "search",
    strategy: "single",
    schedule: "@every 30s",
    ...(sink === undefined ? {} : { sink }),
  };
  const searches = BURST_QUERIES.map(
    ({ text }, n) => [WATCHES[n], { ...shared, query: text }] as const,
  );
  const { defaults, ...others } = config;
  const common =
    defaults === undefined
      ? {}
      : {
          defaults: {
            ...(defaults as JsonObject),
            watch: withoutLow((defaults as JsonObject)["watch"]),
          },
        };
  return {
    ...others,
    ...common,
    api: { base_url: "https://service.example", key, quota: { monthly: MONTHLY } },
    watches: Object.fromEntries([...watches, ...searches]),
  };
}
