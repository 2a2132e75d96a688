/**
 * Tests that archived records are detected again with other thresholds and ranks, as a daemon with
 * these settings from the start would have done.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ArchivedRead, FoundFact } from "../../../src/model/archive.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import { ReplayedValues } from "../../../src/operate/backtest/replayed-values.ts";
import { evaluateRanking } from "../../../src/polling/evaluate/evaluate-ranking.ts";
import { evaluateReading } from "../../../src/polling/evaluate/evaluate-reading.ts";
import type { Planned } from "../../../src/polling/watch-poll.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { tweet } from "../../../src/watches/tweet.ts";
import { trends } from "../../../src/watches/trends.ts";
import { makeTweet } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";

const TARGET = {
  ...{ watchKey: "w", key: "7", name: "7", userId: null, username: null, registeredAtMs: 0 },
  ...{ baselineAtMs: null, memory: {}, revision: 0, status: "pending", statusReason: "" },
} as TargetState;

const planOf = (type: typeof tweet | typeof trends, settings: JsonObject): Planned => ({
  ...{ watch: makeWatch("w", type.type, settings), type: type as Planned["type"] },
  ...{ watchKey: "w", paused: false, targets: [TARGET] },
});
const counted = (when: JsonObject, isDeletedWanted = true): Planned =>
  planOf(tweet, { tweets: ["7"], when, deleted: isDeletedWanted });

/**
 * Returns what a daemon archives of these records. An undefined record is missing from the answer.
 */
function archive(
  { watch, type }: Planned,
  records: readonly (JsonObject | undefined)[],
): readonly ArchivedRead[] {
  let target = TARGET;
  const subscriber = { watch, type, watchKey: "w", targetKey: "7", targetName: "7" };
  return records.map((record, at) => {
    const context = { hash: sha256, detectedAtMs: 1_000 + at, episode: `e${at}` };
    const { detection } = type;
    if (detection.detector !== "reading") throw new Error("a record is read");
    const { targets, found } =
      "ranking" in detection
        ? evaluateRanking(subscriber, target, record ?? {}, {
            ...{ ...context, rule: detection.ranking(watch.settings) },
          })
        : evaluateReading(subscriber, target, record, {
            ...{ ...context, rule: detection.rule(watch.settings) },
          });
    const [change] = targets;
    target = { ...target, ...change } as TargetState;
    const { facts = [], values = [] } = found ?? {};
    return { atMs: context.detectedAtMs, source: "s", gatherMs: 0, facts, values };
  });
}

const factsOf = (reads: readonly ArchivedRead[], planned: Planned, active: Planned) => {
  const replayed = new ReplayedValues([planned], [active]);
  return reads.map((read) => replayed.factsOf(read));
};
const own = (reads: readonly ArchivedRead[]) => reads.map(({ facts }) => facts);

/**
 * Leaves out the last counts of a deleted tweet. They are those of the last alert, so each
 * configuration remembers its own.
 */
const withoutLast = (facts: readonly (readonly FoundFact[])[]) =>
  facts.map((each) =>
    each.map(({ body, ...fact }) => (fact.type === "tweet.deleted" ? fact : { ...fact, body })),
  );

const liked = (likes: number) =>
  ({ ...makeTweet("7"), likes_count: likes }) as unknown as JsonObject;
const LIMITS = [">= 5", "< 3", "every 4", ">= 9", "> 2"] as const;
const limits = fc.constantFrom(...LIMITS);
const counts = fc.array(fc.option(fc.integer({ min: 0, max: 12 }).map(liked), { nil: undefined }), {
  maxLength: 30,
});

it("raises the same alerts for other thresholds as a daemon with these thresholds", () => {
  fc.assert(
    fc.property(limits, limits, counts, (one, two, records) => {
      const [active, tried] = [counted({ likes_count: one }), counted({ likes_count: two })];
      const reads = archive(active, records);
      expect(withoutLast(factsOf(reads, tried, active))).toEqual(
        withoutLast(own(archive(tried, records))),
      );
    }),
    // A milestone counts once, however often it is passed.
    { examples: [[">= 5", "every 4", [4, 3, 4].map(liked)]] },
  );
});

it("leaves the end of a record out where the watch does not ask for it", () => {
  const active = counted({ likes_count: ">= 5" });
  const reads = archive(active, [liked(1), undefined, undefined]);
  expect(own(reads).flat()).toMatchObject([{ type: "tweet.deleted" }]);
  const tried = counted({ likes_count: ">= 5" }, false);
  expect(factsOf(reads, tried, active).flat()).toEqual([]);
});

it("begins with the values that the daemon remembered where the archive begins", () => {
  const [active, tried] = [counted({ likes_count: ">= 5" }), counted({ likes_count: ">= 8" })];
  const records = [6, 7, 9, 1, 8].map(liked);
  const reads = archive(active, records);
  const whole = own(archive(tried, records));
  expect(whole.map(({ length }) => length)).toEqual([0, 0, 1, 0, 1]);
  expect(factsOf(reads.slice(2), tried, active)).toEqual(whole.slice(2));
  const withoutOne = reads.filter((_, at) => at !== 3);
  expect(factsOf(withoutOne, tried, active).map(({ length }) => length)).toEqual([0, 0, 1, 1]);
});

it("shows changes of a ranked list that the daemon did not ask for", () => {
  const lists = fc.array(fc.shuffledSubarray(["Lunch", "Rain", "Chess", "Tea"], { minLength: 1 }), {
    maxLength: 20,
  });
  const changes = fc.subarray(["entered", "left", "moved"], { minLength: 1 });
  fc.assert(
    fc.property(changes, changes, lists, (one, two, names) => {
      const [active, tried] = [one, two].map((reported) =>
        planOf(trends, { woeid: 1, top: 3, tell: reported, move_by: 1 }),
      ) as [Planned, Planned];
      const records = names.map((list) => ({ trends: list.map((name) => ({ name })) }));
      const reads = archive(active, records);
      expect(factsOf(reads, tried, active)).toEqual(own(archive(tried, records)));
    }),
  );
});
