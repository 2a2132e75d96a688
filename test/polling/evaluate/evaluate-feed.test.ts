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
import { makeWatch } from "../../support/make-watch.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const watch = makeWatch("w", "timeline", { accounts: ["alice"] });
const subscriber = { watch, type: timeline, watchKey: "w", targetKey: "t", targetName: "alice" };
const registered: TargetState = {
  ...{ watchKey: "w", key: "t", name: "alice", userId: "7", username: "alice", registeredAtMs: START_MS, baselineAtMs: null },
  ...{ memory: {}, revision: 1, status: "ok", statusReason: "" },
};

function seen(postedMs: readonly number[], nowMs: number): FeedObservation {
  const tweets = postedMs.map((timeMs) => ({ ...makeTweet(tweetIdAt(timeMs)), created_at: new Date(timeMs).toISOString() }));
  return {
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
    items: tweets.map(({ id }, n) => ({ id, timeMs: postedMs[n] ?? 0 })),
    memory: EMPTY_FEED,
    firstPageHigh: tweets[0]?.id,
    ...{ horizonMs: Number.POSITIVE_INFINITY, nowMs, isHeadWhole: true, isSuspicious: false, lostGaps: 0 },
  };
}

/** That of a process that starts when the machine shows `localMs`, at a service that shows `serviceMs`. */
function serviceClockAt(localMs: number, serviceMs: number): ServiceClock {
  const clock = createServiceClock(createVirtualClock(localMs));
  clock.observe(serviceMs, localMs);
  return clock;
}

it("takes for news what comes to an empty list, also where the machine's clock was set back while nobody ran", () => {
  const context = { hash: sha256, detectedAtMs: START_MS, known: new Set<string>() };
  const first = evaluateFeed(subscriber, registered, seen([], START_MS), { ...context, serviceClock: serviceClockAt(START_MS, START_MS) });
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
