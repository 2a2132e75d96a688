/**
 * Checks that nothing is late when nothing is wrong: an item is found by one of the next polls, and
 * its alert is sent by the group timer, the throttle's digest or the sink's queue.
 */
import { ENOUGH_REQUESTS } from "../draw/draw-config.ts";
import type { Evidence } from "./evidence.ts";
import { label } from "./evidence.ts";
import { type Alert, groupBy, isBehindHeld, isBehindMute, rootOf } from "./outbox.ts";
import { isDropped } from "./check-follow-ups.ts";
import { isFollowUp as isAfterLevel } from "./check-levels.ts";
import { isSilenced } from "./check-silences.ts";
import { mayBeSnoozed } from "./check-snoozes.ts";
import { createNames, isCounterHiding } from "./expected.ts";
import { isBroken } from "./lives.ts";
import { isEverMuted } from "./mutes.ts";
import type { Place } from "./routes.ts";
import type { SinkRules } from "./rules.ts";

const MIN_MS = 60_000;
/** The time that waiting in a queue and slow attempts may add. */
const SLACK_MS = 2 * MIN_MS;

export const checkDelay = (evidence: Evidence): readonly string[] =>
  evidence.isClockSet
    ? []
    : [
        ...checkFound(evidence),
        ...evidence.outbox.alerts.flatMap((alert) => checkSent(alert, evidence)),
      ];

/**
 * Checks how late tweets are found. A tweet that appears late is found by the late-arrival rescan,
 * and a burst by the polls that fill the gap.
 */
function checkFound({ played, tweets, expected, epochs, finalRules }: Evidence): readonly string[] {
  const { keys, steps } = played.scenario;
  if (keys.every(({ quota }) => quota < ENOUGH_REQUESTS)) return [];
  if (
    steps.some((step) =>
      /^(?:service fault|crash|restart|stall|cut off|reload|pause)$/.test(step.do),
    )
  )
    return [];
  const nameOf = createNames(epochs);
  const events = groupBy(
    played.left.events.filter(({ type }) => type === "tweet.created"),
    ({ watch, subject }) => `${nameOf(watch)} ${subject}`,
  );
  return [...finalRules.watches.values()].flatMap((watch) =>
    [...tweets.values()].flatMap((tweet): readonly string[] => {
      const [event] = events.get(`${nameOf(watch.id)} ${tweet.id}`) ?? [];
      if (
        event === undefined ||
        tweet.hidden.length > 0 ||
        expected(watch.id, tweet).claim !== "must"
      )
        return [];
      const lateMost = tweet.visibleMs > tweet.postedMs ? 2 * watch.overlapMs : 0;
      const hiddenMost = isCounterHiding(watch, { tweet, shownMs: tweet.visibleMs }, tweets)
        ? watch.fullPollMs
        : 0;
      const mostMs = 4 * watch.gapMs + SLACK_MS + lateMost + hiddenMost;
      const lateMs = event.detectedAtMs - tweet.visibleMs;
      return lateMs <= mostMs
        ? []
        : [
            `${watch.id} found ${label(tweet, played)} after ${Math.round(lateMs / 1_000)} s, of ${mostMs / 1_000}`,
          ];
    }),
  );
}

/**
 * Checks how late an alert is sent. After trouble of the sink or the daemon, the retry schedule
 * decides. An alert that joined another one has arrived with it. That one may wait for its own
 * group, but for no mute that is not on the route of this one.
 */
function checkSent(alert: Alert, evidence: Evidence): readonly string[] {
  const { played, outbox, epochs } = evidence;
  const { row, event, places } = alert;
  const [place] = places;
  const sink = place?.rules.sinks.get(row.sink);
  if (
    place === undefined ||
    sink === undefined ||
    row.state === "muted" ||
    isEverMuted(place.hours)
  )
    return [];
  if (isSilenced(alert, outbox) || mayBeSnoozed(alert, evidence)) return [];
  if (isDropped(alert) || isReplaced(alert, outbox)) return [];
  const root = rootOf(alert, outbox);
  // A deleted post is left out of a digest, and so are the follow-ups of its alert.
  // check-follow-ups.ts checks that it is really gone.
  if (row.state === "deleted" || root.row.state === "deleted") return [];
  if (
    isTroubled(row.sink, sink, played.scenario.steps) ||
    event.type.startsWith("volume.") ||
    isBehindMute(alert, outbox) ||
    isBehindHeld(alert, outbox, played.endMs)
  )
    return [];
  const gapMs = place.rules.watches.get(event.watch)?.gapMs ?? 0;
  const isOfDay = [row, root.row].some(({ groupKey }) => groupKey.startsWith("summary\n"));
  const joinedMs =
    root === alert ? 0 : Math.max(0, ...root.places.map((one) => waitOf(one, sink, gapMs)));
  const mostMs = waitOf(place, sink, gapMs) + joinedMs + (isOfDay ? DAY_MS : 0);
  const endMs = row.createdAtMs + mostMs;
  const fromMs = row.createdAtMs - MIN_MS;
  const isInterrupted =
    isBroken(played, fromMs, endMs) ||
    [...epochs.map((epoch) => epoch.fromMs), played.endMs].some(
      (atMs) => atMs >= fromMs && atMs <= endMs,
    );
  if (isInterrupted || sink.type === "console") return [];
  const [first] = outbox.attempts.get(root.row.messageId ?? "") ?? [];
  if (first !== undefined && first.atMs <= endMs) return [];
  const took =
    first === undefined ? "never" : `after ${Math.round((first.atMs - row.createdAtMs) / 1_000)} s`;
  return [
    `${row.sink} got ${event.type} ${event.subject} of ${event.watch} ${took}, of ${mostMs / 1_000}`,
  ];
}

/** Whether a repeat of an alert on a value still waited when what came next took its place. */
const isReplaced = ({ row, event }: Alert, { alerts }: Evidence["outbox"]): boolean =>
  row.state === "duplicate" &&
  row.joinedId === null &&
  event.body["repeat"] !== undefined &&
  alerts.some(
    ({ row: later, event: next }) =>
      later.id > row.id &&
      later.sink === row.sink &&
      next.watch === event.watch &&
      next.type === event.type &&
      next.subject === event.subject &&
      isAfterLevel(next),
  );

const DAY_MS = 24 * 60 * MIN_MS;
/**
 * A digest of items from a watch's absence waits until all of them are read, which takes some
 * polls.
 */
const RETURN_MS = 10 * MIN_MS;
const RETURN_POLLS = 3;

function waitOf(
  { route, digest }: Pick<Place, "route" | "digest">,
  sink: SinkRules,
  gapMs: number,
): number {
  const throttle = route?.throttle ?? sink.throttle;
  const digestMs = throttle === undefined ? 0 : 2 * throttle.digestIntervalMs;
  return (
    (route?.groupWaitMs ?? 0) +
    (route?.groupIntervalMs ?? 0) +
    digestMs +
    (digest?.gapMs ?? 0) +
    SLACK_MS +
    (sink.isChat ? Math.max(RETURN_MS, RETURN_POLLS * gapMs) : 0)
  );
}

export const isTroubled = (
  name: string,
  { type }: SinkRules,
  steps: Evidence["played"]["scenario"]["steps"],
): boolean =>
  steps.some(
    (step) =>
      step.do === "sink trouble" &&
      (step.sink === name || (step.kind === "rate-limited-globally" && type === "discord")),
  );
