import { expect, it } from "vitest";
import { isTweetFeed } from "../../src/watches/watch-type.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { goodConfig, issuesOf } from "./load-text.ts";

/**
 * Returns a configuration with a watch of every type that reports tweets, or of every other type.
 * Each is the type's example with another setting for when to poll.
 */
const yaml = (isOfTweets: boolean, rhythm: string, defaults = ""): string => {
  const watches = WATCH_TYPES.filter((type) => isTweetFeed(type) === isOfTweets).map(
    ({ type, example }) => {
      const lines = example.split("\n").filter((line) => !line.startsWith("schedule:"));
      return [
        `  ${type}:`,
        ...[...lines, rhythm].filter((line) => line !== "").map((line) => `    ${line}`),
      ].join("\n");
    },
  );
  return `${defaults}\nwatches:\n${watches.join("\n")}\nops: { sink: t }\nroute: { sink: t }\nsinks: { t: { type: console } }\n`;
};

const MEAN = { kind: "mean", meanMs: 60_000, maxMs: 300_000 } as const;

it("takes freshness on every watch of tweets, in both words", async () => {
  const { watches } = await goodConfig(yaml(true, "freshness: { mean: 60s, max: 5m }"));
  expect(watches.map(({ type }) => type).toSorted()).toEqual([
    "community_search",
    "community_tweets",
    "list_tweets",
    "mentions",
    "quotes",
    "replies",
    "retweets",
    "search",
    "timeline",
  ]);
  for (const { timing } of watches) expect(timing).toEqual({ kind: "freshness", freshness: MEAN });
  const p95 = (await goodConfig(yaml(true, "freshness: 60s"))).watches;
  for (const { timing } of p95)
    expect(timing).toEqual({ kind: "freshness", freshness: { kind: "p95", p95Ms: 60_000 } });
});

it("refuses it on every other watch, and names the cure", async () => {
  const issues = (await issuesOf(yaml(false, "freshness: 60s"))).filter(
    ({ severity }) => severity === "error",
  );
  const others = WATCH_TYPES.filter((type) => !isTweetFeed(type));
  expect(issues).toHaveLength(others.length);
  for (const [index, issue] of issues.entries())
    expect(issue).toMatchObject({
      rule: "freshness",
      message: expect.stringContaining(`\`${others[index]?.type}\` is not one: write \`schedule\``),
    });
});

it("takes it as a default for watches of tweets that have no schedule of their own", async () => {
  const defaults =
    "defaults: { watch: { freshness: { mean: 60s, max: 5m }, schedule: '@every 1h' } }";
  for (const { timing } of (await goodConfig(yaml(true, "", defaults))).watches)
    expect(timing).toEqual({ kind: "freshness", freshness: MEAN });
  const every = (intervalMs: number) => ({
    kind: "schedule",
    schedule: { kind: "every", intervalMs },
  });
  for (const { timing } of (await goodConfig(yaml(true, "schedule: '@every 7m'", defaults)))
    .watches)
    expect(timing).toEqual(every(420_000));
  for (const { timing } of (await goodConfig(yaml(false, "", defaults))).watches)
    expect(timing).toEqual(every(3_600_000));
});

it("measures full polls by the `max_age` that a slow schedule brings with it", async () => {
  const of = (fullPoll: string) =>
    `watches: { t: { type: timeline, accounts: [alice, bob], schedule: "@every 7d", full_poll_every: ${fullPoll} } }\nops: { sink: t }\nsinks: { t: { type: console } }\n`;
  const [watch] = (await goodConfig(of("7d"))).watches;
  expect(watch).toMatchObject({ maxAgeMs: 14 * 86_400_000, fullPollEveryMs: 7 * 86_400_000 });
  const [issue] = await issuesOf(of("8d"));
  expect(issue?.message).toContain(
    "more than half of `max_age` 14d: what it finds would be too old for an alert; write 7d or less",
  );
});
