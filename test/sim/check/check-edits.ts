/**
 * Checks that edits of fresh tweets are announced as docs/polling.md says: each text once, by
 * watches with `recheck`, with the text before.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import { ENOUGH_REQUESTS } from "../draw/draw-config.ts";
import type { Scenario } from "../draw/scenario.ts";
import type { LeftEvent } from "../run/read-state.ts";
import { type Evidence, label } from "./evidence.ts";
import { createNames } from "./expected.ts";
import { msOf } from "./rules.ts";

export function checkEdits(evidence: Evidence): readonly string[] {
  const edits = evidence.played.left.events.filter(({ type }) => type === "tweet.edited");
  return [
    ...edits.flatMap((event) => objectTo(event, evidence)),
    ...findRepeated(edits, evidence),
    ...findMissing(evidence),
  ];
}

const textOf = (event: LeftEvent): string =>
  (event.body["tweet"] as JsonObject)["full_text"] as string;

function objectTo(
  event: LeftEvent,
  { played, tweets, epochs, isClockSet }: Evidence,
): readonly string[] {
  const tweet = tweets.get(event.subject);
  if (tweet === undefined) return [`an edit of ${event.subject} is announced, which nobody posted`];
  const what = `the edit of ${label(tweet, played)} by ${event.watch}`;
  const before = (event.body["previous"] as JsonObject)["full_text"];
  const nameOf = createNames(epochs);
  const isWanted = epochs.some(({ rules }) =>
    [...rules.watches.values()].some(
      ({ id, keys }) => nameOf(id) === nameOf(event.watch) && keys["recheck"] !== undefined,
    ),
  );
  const isMade = tweet.edits.some(
    ({ atMs, text }) => text === textOf(event) && (isClockSet || atMs <= event.detectedAtMs),
  );
  const isKnown =
    [tweet, ...tweet.edits].some(({ text }) => text === before) && before !== textOf(event);
  return [
    ...(isWanted ? [] : [`${what} is announced, and the watch has no recheck`]),
    ...(isMade ? [] : [`${what} is announced as ${textOf(event)}, which nobody wrote by then`]),
    ...(isKnown ? [] : [`${what} names ${JSON.stringify(before)} as the text before`]),
  ];
}

function findRepeated(edits: readonly LeftEvent[], { epochs }: Evidence): readonly string[] {
  const nameOf = createNames(epochs);
  const keys = edits.map(
    (event) => `${nameOf(event.watch)} ${event.labels["target"]} ${event.subject} ${textOf(event)}`,
  );
  return keys
    .filter((key, n) => keys.indexOf(key) !== n)
    .map((key) => `an edit is announced twice: ${key}`);
}

/**
 * Finds edits that were never reported. Checks only tweets that are still followed for a while
 * after the last trouble.
 */
function findMissing({ played, tweets, epochs, isClockSet }: Evidence): readonly string[] {
  const { mode, steps, keys } = played.scenario;
  if (mode !== "liveness" || isClockSet || keys.some(({ quota }) => quota < ENOUGH_REQUESTS))
    return [];
  return played.left.events.flatMap((event) => {
    const tweet = tweets.get(event.subject);
    const edit = tweet?.edits.at(-1);
    const isPaused = steps.some((step) => step.do === "pause" && step.watch === event.watch);
    const all = epochs.map(({ rules }) => rules.watches.get(event.watch));
    const rechecks = new Set(
      all.map((watch) =>
        watch?.isEnabled === true ? JSON.stringify(watch.keys["recheck"]) : undefined,
      ),
    );
    const recheck = all[0]?.keys["recheck"] as Readonly<Record<string, string>> | undefined;
    if (
      event.type !== "tweet.created" ||
      tweet === undefined ||
      edit === undefined ||
      recheck === undefined
    )
      return [];
    if (isPaused || rechecks.size > 1 || tweet.hidden.length > 0 || textOf(event) === edit.text)
      return [];
    const [everyMs, untilMs] = [msOf(recheck["every"], 0), msOf(recheck["until"], 0)];
    // The last multiple of `every` within `until` may come just before the edit.
    const isInTime =
      Math.max(edit.atMs, lastTroubleMs(played.scenario)) + 3 * everyMs <
      Math.min(tweet.postedMs + untilMs, played.endMs);
    // A fault may have shown the tweet as deleted. It is not followed any more then.
    const isFollowed = !played.left.events.some(
      (other) => other.type === "tweet.deleted" && isOfSame(other, event),
    );
    if (!isInTime || !isFollowed || isAnnounced(event, edit.text, played.left.events)) return [];
    return [`${event.watch} does not announce the edit of ${label(tweet, played)}`];
  });
}

/**
 * Returns when something last kept rechecks from being made, or may have done so. A process that
 * starts again needs some time.
 */
function lastTroubleMs({ steps, startMs, busyMs }: Scenario): number {
  const ends = steps.flatMap((step) => {
    if (step.do === "service fault")
      return [step.forMs === undefined ? busyMs : step.atMs + step.forMs];
    if (step.do === "stall" || step.do === "cut off") return [busyMs];
    return step.do === "crash" || step.do === "restart"
      ? [step.atMs + step.downMs]
      : step.do === "reload"
        ? [step.atMs]
        : [];
  });
  return startMs + Math.max(0, ...ends);
}

const isOfSame = (one: LeftEvent, other: LeftEvent): boolean =>
  one.watch === other.watch &&
  one.subject === other.subject &&
  one.labels["target"] === other.labels["target"];

const isAnnounced = (event: LeftEvent, text: string, events: readonly LeftEvent[]): boolean =>
  events.some(
    (other) => other.type === "tweet.edited" && isOfSame(other, event) && textOf(other) === text,
  );
