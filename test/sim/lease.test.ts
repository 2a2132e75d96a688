/**
 * Tests two whole replicas that live for many times their lease, on the simulated server. Nothing
 * stalls and nothing is cut.
 */
import { expect, it } from "vitest";
import { check } from "./check/check.ts";
import type { Scenario, Step } from "./draw/scenario.ts";
import { simulate } from "./run/simulate.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const watches = ["acme", "bolt"];
const posts = watches.flatMap((word, n) =>
  [20, 100, 200, 300].map(
    (atS): Step => ({
      do: "post",
      atMs: (atS + n) * SECOND,
      name: `${word}${atS}`,
      by: word,
      text: word,
      kind: "post",
    }),
  ),
);

/** Requests of polls time out after twice the lease, and a send after the whole lease. */
const held: readonly Step[] = [
  { do: "service fault", atMs: 90 * SECOND, name: "hang", forMs: MINUTE },
  ...["s0", "s1"].map(
    (sink): Step => ({ do: "sink trouble", atMs: 190 * SECOND, sink, kind: "hang", times: 2 }),
  ),
];

const scenario: Scenario = {
  ...{
    seed: 1,
    mode: "liveness" as const,
    startMs: Date.UTC(2026, 5, 10, 12),
    busyMs: 6 * MINUTE,
    calmMs: 2 * MINUTE,
    isWholeCalm: false,
  },
  replicas: 2,
  config: {
    api: { base_url: "https://service.example", key: "KEY-0" },
    watches: Object.fromEntries(
      watches.map((query) => [
        query,
        { type: "search", query, schedule: "@every 30s", strategy: "single", sink: ["s0", "s1"] },
      ]),
    ),
    sinks: Object.fromEntries(
      ["s0", "s1"].map((sink) => [
        sink,
        { type: "webhook", url: `https://hook-${sink}.example/in` },
      ]),
    ),
  },
  ...{ files: {}, keys: [{ key: "KEY-0", quota: 1_000_000 }], before: [] },
  steps: [...posts, ...held].sort((a, b) => a.atMs - b.atMs),
};

it("replicas keep their work while a poll or a send takes longer than the lease", async () => {
  const played = await simulate(scenario, () => true);
  expect(check(played)).toEqual([]);
  expect(played.lives.map(({ replica, replacedAtMs }) => [replica, replacedAtMs])).toEqual([
    [0, undefined],
    [1, undefined],
  ]);
  const said = played.logged
    .filter(({ atMs }) => atMs > scenario.startMs + 30 * SECOND)
    .map(({ message }) => message);
  const lost = /silent|lost|shared out|superseded/;
  expect(said.filter((message) => lost.test(message))).toEqual([]);
});
