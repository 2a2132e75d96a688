import fc from "fast-check";
import { expect, it } from "vitest";
import { evaluateFeed } from "../../../src/polling/evaluate/evaluate-feed.ts";
import { EMPTY_FEED } from "../../../src/detect/feed-memory.ts";
import type { FeedObservation } from "../../../src/polling/read/read-feed.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import { createServiceClock, type ServiceClock } from "../../../src/requests/service-clock.ts";
import { tweetIdAt } from "../../../src/model/id.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { timeline } from "../../../src/watches/timeline.ts";
import { EVENT_TIME_MS as START_MS, makeTweet } from "../../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const watch = makeWatch("w", "timeline", { accounts: ["alice"] });
const subscriber = { watch, type: timeline, watchKey: "w", targetKey: "t", targetName: "alice" };
const registered: TargetState = {
  ...{
    watchKey: "w",
    key: "t",
    name: "alice",
    userId: "7",
    username: "alice",
    registeredAtMs: START_MS,
    baselineAtMs: null,
  },
  ...{ memory: {}, revision: 1, status: "ok", statusReason: "" },
};

function seen(postedMs: readonly number[], nowMs: number): FeedObservation {
  const tweets = postedMs.map((timeMs) => ({
    ...makeTweet(tweetIdAt(timeMs)),
    created_at: new Date(timeMs).toISOString(),
  }));
  return {
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
    items: tweets.map(({ id }, n) => ({ id, timeMs: postedMs[n] ?? 0 })),
    memory: EMPTY_FEED,
    firstPageHigh: tweets[0]?.id,
    ...{
      horizonMs: Number.POSITIVE_INFINITY,
      nowMs,
      isHeadWhole: true,
      isSuspicious: false,
      lostGaps: 0,
    },
  };
}

/**
 * Returns the service clock of a process that starts when the machine shows `localMs` and the
 * service `serviceMs`.
 */
function serviceClockAt(localMs: number, serviceMs: number): ServiceClock {
  const clock = createServiceClock(createVirtualClock(localMs));
  clock.observe(serviceMs, localMs);
  return clock;
}

it("takes for news what comes to an empty list, also where the machine's clock was set back while nobody ran", () => {
  const context = { hash: sha256, detectedAtMs: START_MS, known: new Set<string>() };
  const first = evaluateFeed(subscriber, registered, seen([], START_MS), {
    ...context,
    serviceClock: serviceClockAt(START_MS, START_MS),
  });
  const target = { ...registered, ...first.targets[0], memory: first.targets[0]?.memory ?? {} };
  const nowMs = START_MS + 30 * MINUTE;
  const posted = [START_MS + MINUTE, START_MS - MINUTE];
  const next = evaluateFeed(subscriber, target as TargetState, seen(posted, nowMs), {
    ...context,
    serviceClock: serviceClockAt(nowMs - HOUR, nowMs),
  });
  expect(next.verdicts.map(({ verdict }) => verdict)).toEqual(["baseline", "event"]);
  expect(next.targets[0]?.memory).toMatchObject({ since_ms: START_MS });
});

/**
 * Evaluates a first read of tweets, newest first. Depending on their text, tweets are ignored, held
 * back by `where`, or wanted.
 */
function first(texts: readonly string[], changes: Parameters<typeof makeWatch>[3]) {
  const posted = texts.map((_, index) => START_MS - (index + 1) * MINUTE);
  const observation = seen(posted, START_MS);
  const tweets = new Map(
    [...observation.tweets].map(([id, tweet], index) => [
      id,
      { ...tweet, full_text: texts[index] ?? "" },
    ]),
  );
  const own = {
    ...subscriber,
    watch: makeWatch("w", "timeline", { accounts: ["alice"] }, changes),
  };
  const context = {
    hash: sha256,
    detectedAtMs: START_MS,
    known: new Set<string>(),
    serviceClock: serviceClockAt(START_MS, START_MS),
  };
  return { ...evaluateFeed(own, registered, { ...observation, tweets }, context), tweets };
}

it("sends as many of a first run as it asks for, the newest that it wants, and follows none that it ignores", () => {
  const where = {
    text: "x",
    matches: ({ tweet }: { readonly tweet?: { readonly full_text: string } }) =>
      tweet?.full_text !== "unwanted",
  };
  const texts = fc.array(fc.constantFrom("fine", "spam", "unwanted"), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 5 }), (row, count) => {
      const changes: WatchChanges = {
        ...{
          firstRun: { kind: "latest" as const, count },
          ignore: { authors: [], words: ["spam"] },
          where,
        },
        recheck: { everyMs: MINUTE, untilMs: 24 * HOUR },
      };
      const { events, rechecks = [], tweets } = first(row, changes);
      const wanted = row.flatMap((text, index) => (text === "fine" ? [index] : [])).slice(0, count);
      const idAt = (index: number) => [...tweets.keys()][index] ?? "";
      expect(events.map(({ event }) => event.subject)).toEqual(wanted.map(idAt).reverse());
      // A tweet held back only by `where` is followed, because it may match later. An ignored one
      // is not.
      const followed = new Set(rechecks.map(({ tweetId }) => tweetId));
      for (const [index, text] of row.entries())
        if (text === "spam") expect(followed.has(idAt(index))).toBe(false);
    }),
  );
});

it("follows a tweet that is new and kept back by where, and none that it ignores", () => {
  const target = {
    ...registered,
    baselineAtMs: START_MS - HOUR,
    memory: { birth: "0", since_ms: START_MS - HOUR },
  };
  const kept = makeWatch(
    "w",
    "timeline",
    { accounts: ["alice"] },
    {
      ...{
        ignore: { authors: [], words: ["spam"] },
        recheck: { everyMs: MINUTE, untilMs: 24 * HOUR },
      },
      where: { text: "x", matches: ({ tweet }) => tweet?.full_text === "fine" },
    },
  );
  const observation = seen(
    [START_MS - MINUTE, START_MS - 2 * MINUTE, START_MS - 3 * MINUTE],
    START_MS,
  );
  const texts = ["fine", "spam", "other"];
  const tweets = new Map(
    [...observation.tweets].map(([id, tweet], index) => [
      id,
      { ...tweet, full_text: texts[index] ?? "" },
    ]),
  );
  const context = {
    hash: sha256,
    detectedAtMs: START_MS,
    known: new Set<string>(),
    serviceClock: serviceClockAt(START_MS, START_MS),
  };
  const { rechecks = [] } = evaluateFeed(
    { ...subscriber, watch: kept },
    target,
    { ...observation, tweets },
    context,
  );
  const followed = new Map(
    rechecks.map(({ tweetId, eventId }) => [tweets.get(tweetId)?.full_text, eventId === ""]),
  );
  expect(followed).toEqual(
    new Map([
      ["fine", false],
      ["other", true],
    ]),
  );
});

it.each(["digest", "deliver", "skip"] as const)(
  "finds nothing too old that came during a pause, however long, with on_return: %s",
  (onReturn) => {
    const pausedMs = START_MS - 72 * HOUR;
    const resumedMs = START_MS - MINUTE;
    const memory = {
      birth: "0",
      since_ms: START_MS - 1_000 * HOUR,
      resume_ms: pausedMs,
      away: { from_ms: pausedMs, to_ms: resumedMs },
    };
    const target = { ...registered, baselineAtMs: START_MS - 999 * HOUR, memory };
    const own = {
      ...subscriber,
      watch: makeWatch("w", "timeline", { accounts: ["alice"] }, { onReturn, maxAgeMs: 24 * HOUR }),
    };
    const posted = [
      START_MS,
      START_MS - HOUR,
      START_MS - 48 * HOUR,
      START_MS - 71 * HOUR,
      START_MS - 73 * HOUR,
    ];
    const context = {
      hash: sha256,
      detectedAtMs: START_MS,
      known: new Set<string>(),
      serviceClock: serviceClockAt(START_MS, START_MS),
    };
    const { verdicts, events } = evaluateFeed(
      own,
      target,
      { ...seen(posted, START_MS), horizonMs: START_MS - 2 * HOUR },
      context,
    );
    const missed = onReturn === "skip" ? "baseline" : "event";
    const byAge = verdicts
      .toSorted((a, b) => b.occurredAtMs - a.occurredAtMs)
      .map(({ verdict }) => verdict);
    expect(byAge).toEqual(["event", missed, missed, missed, "too_old"]);
    expect(events.map(({ isMissed = false }) => isMissed)).toEqual(
      onReturn === "skip"
        ? [false]
        : [true, true, true].map(() => onReturn === "digest").concat(false),
    );
  },
);
