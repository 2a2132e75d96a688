import fc from "fast-check";
import { expect, it } from "vitest";
import { evaluateRecheck } from "../../../src/polling/evaluate/evaluate-recheck.ts";
import type { Recheck } from "../../../src/model/recheck.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { timeline } from "../../../src/watches/timeline.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";

const MINUTE = 60_000;
const watch = makeWatch(
  "w",
  "timeline",
  { accounts: ["alice"] },
  { recheck: { everyMs: 10 * MINUTE, untilMs: 60 * MINUTE } },
);
const subscriber = { watch, type: timeline, watchKey: "w", targetKey: "t", targetName: "alice" };
const recheck: Recheck = {
  watchKey: "w",
  targetKey: "t",
  tweetId: "7",
  dueAtMs: 0,
  untilMs: 1_000 * MINUTE,
  eventId: "e",
  condition: "",
  absences: 0,
  versions: [],
};

/** Returns the minute of the next recheck, or undefined if rechecks have ended. */
const nextOf = (atMinute: number, slowDown: number): number | undefined => {
  const context = {
    hash: sha256,
    detectedAtMs: atMinute * MINUTE,
    slowDown: slowDown,
    isSuspicious: false,
  };
  const { next } = evaluateRecheck(
    subscriber,
    recheck,
    { tweet: makeTweet("7"), event: undefined },
    context,
  );
  return next === undefined ? undefined : next.dueAtMs / MINUTE;
};

it("ends with the last recheck within until", () => {
  expect(nextOf(985, 1)).toBe(990);
  expect(nextOf(990, 1)).toBe(1_000);
  expect(nextOf(1_000, 1)).toBeUndefined();
});

it("makes a recheck late that the quota puts off beyond until, and none after it", () => {
  expect(nextOf(940, 7)).toBe(960);
  expect(nextOf(960, 7)).toBe(1_040);
  expect(nextOf(1_040, 7)).toBeUndefined();
});

const answers = fc.array(
  fc.oneof(
    fc.constant("absent"),
    fc.constant("suspicious"),
    fc.constantFrom("text 0", "text 1", "text 2"),
  ),
  {
    maxLength: 14,
  },
);

it("reports each text of a tweet once, and its end at the second absence in a row", () => {
  fc.assert(
    fc.property(answers, (row) => {
      const events = new Map<string, ChirpEvent>();
      const created = makeEvent("7", { body: { tweet: makeTweet("7", "text 0") } });
      events.set(created.id, created);
      let own: Recheck | undefined = { ...recheck, eventId: created.id };
      const known = new Set(["text 0"]);
      let absences = 0;
      for (const [minute, answer] of row.entries()) {
        if (own === undefined) break;
        const isThere: boolean = answer.startsWith("text");
        const context = {
          hash: sha256,
          detectedAtMs: minute * MINUTE,
          slowDown: 1,
          isSuspicious: answer === "suspicious",
        };
        const tweet = isThere ? makeTweet("7", answer) : undefined;
        const outcome = evaluateRecheck(
          subscriber,
          own,
          { tweet, event: events.get(own.eventId) },
          context,
        );
        if (answer !== "suspicious") absences = isThere ? 0 : absences + 1;
        const expected: readonly string[] =
          absences === 2
            ? ["tweet.deleted"]
            : isThere && !known.has(answer)
              ? ["tweet.edited"]
              : [];
        if (isThere) known.add(answer);
        const event = outcome.event?.event;
        expect(event === undefined ? [] : [event.type]).toEqual(expected);
        if (event !== undefined) events.set(event.id, event);
        own = outcome.next;
        expect(own === undefined).toBe(absences === 2);
      }
    }),
    { numRuns: 200 },
  );
});

it.each([
  // The recheck is due before the return of its watch, or after.
  [9, "digest", true],
  [9, "skip", undefined],
  [9, "deliver", false],
  [10, "digest", false],
  [11, "skip", false],
] as const)(
  "takes an edit that was due at minute %i for missed with %s: %o",
  (dueAtMinute, mode, isMissed) => {
    const event = makeEvent("7", { body: { tweet: makeTweet("7", "before") } });
    const missed = { untilMs: 10 * MINUTE, mode, detail: "", isFromNow: false };
    const context = {
      hash: sha256,
      detectedAtMs: 12 * MINUTE,
      slowDown: 1,
      isSuspicious: false,
      missed,
    };
    const own = { ...recheck, eventId: event.id, dueAtMs: dueAtMinute * MINUTE };
    const outcome = evaluateRecheck(
      subscriber,
      own,
      { tweet: makeTweet("7", "after"), event },
      context,
    );
    expect(outcome.event === undefined ? undefined : outcome.event.isMissed === true).toBe(
      isMissed,
    );
    // A tweet whose edit raises no event is not followed any more.
    expect(outcome.next === undefined).toBe(isMissed === undefined);
  },
);

it("reports a tweet that where kept back once, and its texts from then on", () => {
  const kept = makeWatch(
    "w",
    "timeline",
    { accounts: ["alice"] },
    {
      ...{ recheck: { everyMs: 10 * MINUTE, untilMs: 60 * MINUTE } },
      where: {
        text: "tweet.likes_count > 5",
        matches: ({ tweet }) => (tweet?.likes_count ?? 0) > 5,
      },
    },
  );
  const follower = { ...subscriber, watch: kept };
  let own: Recheck | undefined = { ...recheck, eventId: "", condition: "tweet.likes_count > 5" };
  const events = new Map<string, ChirpEvent>();
  const types: (string | undefined)[] = [];
  for (const [minute, likes, text] of [
    [0, 1, "a"],
    [10, 6, "a"],
    [20, 7, "a"],
    [30, 1, "b"],
    [40, 9, "a"],
  ] as const) {
    const context = {
      hash: sha256,
      detectedAtMs: minute * MINUTE,
      slowDown: 1,
      isSuspicious: false,
    };
    const tweet = { ...makeTweet("7", text), likes_count: likes };
    const outcome = evaluateRecheck(
      follower,
      own ?? recheck,
      { tweet, event: events.get(own?.eventId ?? "") },
      context,
    );
    const event = outcome.event?.event;
    if (event !== undefined) events.set(event.id, event);
    types.push(event?.type);
    own = outcome.next;
  }
  expect(types).toEqual([undefined, "tweet.created", undefined, "tweet.edited", undefined]);
});
