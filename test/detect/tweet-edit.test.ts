/**
 * Tests when a message is edited whose tweet is seen again and again: once for each text, finally
 * when the tweet is gone, and for counts at most once a minute.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { EDIT_EVERY_MS, wantedEdit } from "../../src/detect/tweet-edit.ts";
import type { EditCause } from "../../src/model/edit-cause.ts";
import type { EditableAlert, TweetSight } from "../../src/model/edit.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { makeTweet } from "../support/make-event.ts";

const CAUSES: readonly EditCause[] = ["deleted", "edited", "counts"];
const tweetOf = (text: number, likes: number): Tweet => ({
  ...makeTweet("1", `text ${text}`),
  likes_count: likes,
});

const alertOf = (tweet: Tweet): EditableAlert => ({
  ...{
    deliveryId: "1",
    sink: "chat",
    shown: { tweet, isGone: false, isEdited: false },
    versions: [],
    wantedAtMs: null,
    dueAtMs: null,
  },
});

const steps = fc.array(
  fc.record({
    gapMs: fc.constantFrom(0, 1_000, 30_000, EDIT_EVERY_MS, 90_000),
    isGone: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    text: fc.integer({ min: 0, max: 3 }),
    likes: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 25 },
);

/**
 * A model of what a reader of the channel may expect. An edit is made when it is due, and the next
 * one is due a minute later.
 */
it("shows each text once, in the order in which they were first seen, until the tweet is gone", () => {
  fc.assert(
    fc.property(steps, fc.subarray([...CAUSES], { minLength: 1 }), (sights, chosen) => {
      const causes = new Set(chosen);
      let alert = alertOf(tweetOf(0, 0));
      let [nowMs, text, isGone, isEdited] = [1_000_000, 0, false, false];
      const known = new Set([0]);
      for (const step of sights) {
        nowMs += step.gapMs;
        if (alert.dueAtMs !== null && alert.dueAtMs <= nowMs)
          alert = { ...alert, dueAtMs: nowMs + EDIT_EVERY_MS };
        const sight: TweetSight = step.isGone
          ? { kind: "gone", tweetId: "1" }
          : { kind: "seen", tweet: tweetOf(step.text, step.likes) };
        const wanted = wantedEdit(alert, sight, causes, { hash: sha256, nowMs });
        const isNew = !isGone && !step.isGone && causes.has("edited") && !known.has(step.text);
        if (isGone) expect(wanted).toBeUndefined();
        else if (step.isGone) isGone = causes.has("deleted");
        if (isNew) {
          known.add(step.text);
          [text, isEdited] = [step.text, true];
        }
        const isLast = isGone && step.isGone && !alert.shown.isGone;
        if (isNew || isLast) expect(wanted).toBeDefined();
        const isCounted =
          !step.isGone && causes.has("counts") && step.likes !== alert.shown.tweet.likes_count;
        const isMinuteOver = alert.wantedAtMs === null || nowMs - alert.wantedAtMs >= EDIT_EVERY_MS;
        if (!isGone && isCounted && (isNew || isMinuteOver))
          expect(wanted?.shown.tweet.likes_count).toBe(step.likes);
        if (!isLast && !isNew && !(isCounted && isMinuteOver)) expect(wanted).toBeUndefined();
        if (wanted === undefined) continue;
        expect(wanted.shown).toMatchObject({
          isGone,
          isEdited,
          tweet: { full_text: `text ${text}` },
        });
        expect(wanted.dueAtMs).toBeGreaterThanOrEqual(Math.max(nowMs, alert.dueAtMs ?? 0));
        alert = {
          ...alert,
          shown: wanted.shown,
          versions: wanted.versions,
          wantedAtMs: wanted.wantedAtMs,
          dueAtMs: wanted.dueAtMs,
        };
      }
    }),
    { numRuns: 300 },
  );
});

it("shows the counts of what a repost reposts, which has none of its own", () => {
  const repost = (likes: number): Tweet => ({
    ...tweetOf(0, 0),
    retweeted_status: tweetOf(1, likes),
  });
  const wanted = wantedEdit(
    alertOf(repost(1)),
    { kind: "seen", tweet: repost(5) },
    new Set(["counts"]),
    { hash: sha256, nowMs: 0 },
  );
  expect(wanted?.shown.tweet.retweeted_status?.likes_count).toBe(5);
  expect(
    wantedEdit(alertOf(repost(5)), { kind: "seen", tweet: repost(5) }, new Set(["counts"]), {
      hash: sha256,
      nowMs: 0,
    }),
  ).toBeUndefined();
});
