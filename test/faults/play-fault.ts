/**
 * Plays one fault against the whole daemon on the simulation's clock, and shows what people and
 * programs received.
 */
import type { JsonObject } from "../../src/model/json.ts";
import { check } from "../sim/check/check.ts";
import { receiptsOf } from "../sim/check/receipts.ts";
import type { Scenario, Step, WorldOrder } from "../sim/draw/scenario.ts";
import { simulate } from "../sim/run/simulate.ts";
import type { Attempt } from "../sim/run/sinks.ts";
import { warmUp } from "../sim/run/warm-up.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export interface FaultPlay {
  readonly watches: JsonObject;
  readonly sinks: JsonObject;
  /** Other sections of the configuration. */
  readonly more?: JsonObject;
  readonly before?: readonly WorldOrder[];
  readonly steps: readonly Step[];
  /** Wall time at the start. */
  readonly startMs?: number;
  readonly busyMs: number;
  readonly calmMs?: number;
  readonly replicas?: number;
  readonly skewsMs?: readonly number[];
}

let warm: Promise<void> | undefined;

export async function playFault(fault: FaultPlay) {
  await (warm ??= warmUp());
  const { startMs = Date.UTC(2026, 5, 10, 12), busyMs, calmMs = 2 * MINUTE, before = [] } = fault;
  const steps = fault.steps.toSorted((one, other) => one.atMs - other.atMs);
  const scenario: Scenario = {
    ...{
      seed: 1,
      mode: "liveness",
      startMs,
      busyMs,
      calmMs,
      isWholeCalm: true,
      before,
      steps,
      files: {},
    },
    ...(fault.replicas === undefined ? {} : { replicas: fault.replicas, lateMs: 900 }),
    ...(fault.skewsMs === undefined ? {} : { skewsMs: fault.skewsMs }),
    keys: [{ key: "KEY-0", quota: 1_000_000 }],
    config: {
      api: { base_url: "https://service.example", key: "KEY-0" },
      watches: fault.watches,
      sinks: { ...fault.sinks, ops: { type: "webhook", url: "https://hook-ops.example/in" } },
      ops: { sink: "ops" },
      ...fault.more,
    },
  };
  const played = await simulate(scenario, () => false);
  const tweets = new Map(played.world.tweets().map((tweet) => [tweet.id, tweet]));
  const receipts = receiptsOf(played.attempts, tweets);
  const minuteOf = (atMs: number): number => Math.round((atMs - startMs) / 6_000) / 10;
  const attempts = (sink: string): readonly Attempt[] =>
    played.attempts.filter((attempt) => attempt.sink === sink && attempt.path !== "/api/auth.test");
  return {
    played,
    attempts,
    /** Returns the names of the posts that a sink took, in order. */
    arrived: (sink: string): readonly string[] =>
      receipts
        .filter((receipt) => receipt.sink === sink && receipt.attempt.accepted)
        .flatMap(({ reported }) => reported.map(({ tweetId }) => tweets.get(tweetId)?.name ?? "?")),
    /** Returns the minutes at which a sink was tried. */
    minutes: (sink: string): readonly number[] => attempts(sink).map(({ atMs }) => minuteOf(atMs)),
    /** Returns the types of the ops alerts, in order. */
    opsAlerts: (): readonly string[] =>
      receipts
        .filter(({ sink, attempt }) => sink === "ops" && attempt.accepted)
        .flatMap(({ opsAlerts }) => opsAlerts),
    /** Returns the times at which an endpoint was called. */
    asked: (endpoint: string): readonly string[] =>
      played.asked
        .filter((one) => one.endpoint === endpoint)
        .map(({ atMs }) => new Date(atMs).toISOString().slice(0, 16)),
    sinkStatus: (sink: string): JsonObject =>
      ((played.status?.["sinks"] ?? []) as unknown as readonly JsonObject[]).find(
        ({ name }) => name === sink,
      ) ?? {},
    /** Returns what the simulation's own checks object to. */
    objections: () => check(played),
  };
}

export const post = (min: number, name: string, text = "acme"): WorldOrder & Step => ({
  ...{ do: "post", atMs: Math.round(min * MINUTE), name, by: "dan3", text, kind: "post" },
});
