/**
 * Tests `chirpwatch test` for the types that are not lists of tweets: one poll of the bundled
 * sandbox, evaluated as if everything in it were new.
 */
import { expect, it } from "vitest";
import { planTrial } from "../../../src/operate/try/try-watch.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { startWatchFixture } from "../../watches/watch-fixture.ts";

/** Settings that name objects of the world, made from the sandbox's sample. */
type Settings = JsonObject | ((sample: Readonly<Record<string, readonly string[]>>) => JsonObject);

async function tryIt(type: string, settings: Settings) {
  const { harness, clock, control } = await startWatchFixture("timeline", { accounts: ["rival"] });
  const sample = control("GET", "sample") as Readonly<Record<string, readonly string[]>>;
  const own = typeof settings === "function" ? settings(sample) : settings;
  const trial = planTrial(makeWatch("t", type, own), {
    gate: harness.gate,
    clock,
    hash: sha256,
    state: undefined,
    mostTargets: 5,
  });
  const before = (await harness.store.spentSince(0)).total;
  const running = trial.run();
  await clock.advance(1_000);
  const [target] = await running;
  return { trial, target, spent: (await harness.store.spentSince(0)).total - before };
}

const article = ({ article_ids: ids = [] }: Readonly<Record<string, readonly string[]>>): string =>
  ids[0] ?? "";

const TRIALS: readonly (readonly [
  type: string,
  settings: Settings,
  verdict: string,
  event: string,
  costs: number,
])[] = [
  [
    "tweet",
    (of) => ({ tweets: [article(of)], when: { view_count: ">= 1" } }),
    "news",
    "tweet.threshold",
    1,
  ],
  ["tweet", (of) => ({ tweets: [article(of)] }), "filtered", "tweet.threshold", 1],
  [
    "article",
    (of) => ({ tweet: article(of), when: { views: "every 1" } }),
    "news",
    "article.changed",
    1,
  ],
  ["space", ({ space_ids: ids = [] }) => ({ space: ids[0] ?? "" }), "filtered", "space.changed", 1],
  ["trends", { woeid: 1 }, "news", "trend.entered", 1],
  [
    "community_info",
    { community: "1493446837214187523", when: { member_count: "> 5" } },
    "news",
    "community.changed",
    1,
  ],
  [
    "profile",
    { accounts: ["acme"], when: { followers_count: "> 1" } },
    "news",
    "profile.threshold",
    2,
  ],
  ["score", { accounts: ["acme"], when: { score: "> 1" } }, "news", "score.changed", 2],
  [
    "followers_stats",
    { accounts: ["acme"], when: { followers_count: "> 0" } },
    "news",
    "stats.changed",
    2,
  ],
  ["about", { accounts: ["acme"] }, "filtered", "about.changed", 2],
  [
    "membership",
    { check: "follow", accounts: ["alice"], account: "acme" },
    "filtered",
    "membership.changed",
    2,
  ],
];

it.each(TRIALS)(
  "%s, case %#: says what would raise an alert, and costs what it said",
  async (type, settings, verdict, event, costs) => {
    const { trial, target, spent } = await tryIt(type, settings);
    expect(target?.problem).toBe("");
    expect([target?.items[0]?.verdict, target?.items[0]?.event.type]).toEqual([verdict, event]);
    if (verdict === "filtered") expect(target?.items[0]?.detail).toMatch(/alerts (?:at|when)/);
    expect([trial.costRequests, spent]).toEqual([costs, costs]);
  },
);

it("timeline via_list: reads the list once, and shows for each account its own tweets only", async () => {
  const { harness, clock, control } = await startWatchFixture("timeline", { accounts: ["rival"] });
  const list = control("POST", "lists", { members: ["golden_one", "golden_two", "golden_three"] })[
    "id"
  ] as string;
  for (const username of ["golden_one", "golden_two", "golden_three"])
    control("POST", "tweets", { username });
  const watch = makeWatch("t", "timeline", {
    accounts: ["golden_one", "golden_two"],
    via_list: list,
  });
  const trial = planTrial(watch, {
    gate: harness.gate,
    clock,
    hash: sha256,
    state: undefined,
    mostTargets: 5,
  });
  const before = (await harness.store.spentSince(0)).total;
  const running = trial.run();
  await clock.advance(1_000);
  const alerted = (await running).map(({ name, items }) => [
    name,
    ...items.map(({ event }) => event.labels["author"]),
  ]);
  expect(alerted).toEqual([
    ["golden_one", "golden_one"],
    ["golden_two", "golden_two"],
  ]);
  expect([trial.costRequests, (await harness.store.spentSince(0)).total - before]).toEqual([2, 2]);
});
