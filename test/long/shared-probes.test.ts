/**
 * Tests groups under freshness whose members others request too: their requests and delays over
 * hours.
 */
import { expect, it } from "vitest";
import { every, HOUR, MIN, type Plan, setup, START } from "../engine/overlapping-groups.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const MEAN = { freshness: { kind: "mean", meanMs: 5 * MIN, maxMs: HOUR } } as const;

it("freshness counts what others ask for as probes of its own", async () => {
  const freshness = { kind: "mean", meanMs: 5 * MIN, maxMs: HOUR } as const;
  const fresh: Plan = (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 60) }, { ...every(10), freshness }),
  ];
  const names: Plan = (ids) => [makeWatch("names", "profile", { accounts: ids(0, 60) }, every(10))];
  const countOf = async (plan: Plan) => (await (await setup(60, plan)).probes(8 * 60)).length;
  const apart = (await countOf(fresh)) + (await countOf(names));
  const together = await countOf((ids) => [...fresh(ids), ...names(ids)]);
  expect(together).toBeLessThan(0.8 * apart);
});

it("a group under freshness keeps a pace of its own while others ask for all of it, and goes by that when they are gone", async () => {
  const accounts = Array.from({ length: 40 }, (_, i) => `id:${1_000 + i}`);
  const own = makeWatch("posts", "timeline", { accounts }, { ...every(10), ...MEAN });
  const names = makeWatch("names", "profile", { accounts }, every(1));
  const { clock, posts, harness, account } = await setup(40, () => [own]);
  const random = createSeededRandom(3);
  for (let i = 0; i < 500; i += 1)
    posts.post(account(i % 40), START + Math.floor((0.5 + random.float() * 15) * HOUR));
  await clock.advance(6 * HOUR);
  await harness.setWatches([own, names]);
  await clock.advance(6 * HOUR);
  await harness.setWatches([own]);
  const sinceMs = clock.now();
  await clock.advance(3 * HOUR);
  const delays = (await harness.events()).flatMap(({ occurredAtMs, detectedAtMs }) =>
    occurredAtMs > sinceMs ? [detectedAtMs - occurredAtMs] : [],
  );
  expect(delays.length).toBeGreaterThan(60);
  const meanMs = delays.reduce((sum, delayMs) => sum + delayMs, 0) / delays.length;
  expect(meanMs).toBeLessThan(5.5 * MIN);
  expect(meanMs).toBeGreaterThan(3 * MIN);
});
