/**
 * Checks that everything expected was found, and has arrived wherever it belonged when it was
 * found, once nothing fails any more.
 */
import type { Played } from "../run/simulate.ts";
import { type Evidence, label } from "./evidence.ts";
import { type Alert, groupBy, rootOf } from "./outbox.ts";
import { createNames } from "./expected.ts";
import { isEverMuted } from "./mutes.ts";
import { isSilenced } from "./check-silences.ts";
import { mayBeSnoozed } from "./check-snoozes.ts";
import type { Rules, WrittenDigest } from "./rules.ts";

export function checkMissing({
  played,
  epochs,
  tweets,
  receipts,
  expected,
  outbox,
  finalRules,
  isClockSet,
}: Evidence): readonly string[] {
  if (played.scenario.mode !== "liveness") return [];
  const nameOf = createNames(epochs);
  const accepted = receipts.filter(({ attempt }) => attempt.accepted);
  const arrived = new Set(
    accepted.flatMap(({ sink, named }) => [...named].map((id) => `${sink} ${id}`)),
  );
  const alerts = groupBy(outbox.alerts, ({ row }) => row.eventId);
  const events = new Map(
    played.left.events.flatMap((event) =>
      event.type === "tweet.created" ? [[`${nameOf(event.watch)} ${event.subject}`, event]] : [],
    ),
  );
  // An alert that joined another one arrives with it.
  const hasArrived = (alert: Alert): boolean => isThere(alert) || isThere(rootOf(alert, outbox));
  const isThere = (alert: Alert): boolean =>
    arrived.has(`${alert.row.sink} ${alert.event.subject}`) ||
    alert.row.state === "muted" ||
    // check-follow-ups.ts checks what was known of its post.
    alert.row.state === "deleted" ||
    isSilenced(alert, outbox) ||
    mayBeSnoozed(alert, { played, isClockSet }, played.endMs - SNOOZE_SENT_MS) ||
    isElsewhere(alert);
  const isElsewhere = ({ row, places }: Alert): boolean =>
    places.some(({ hours, digest }) => isEverMuted(hours) || isStillGathered(row, digest)) ||
    // The alert is a duplicate by a `dedupe`, which check-dedupe.ts checks.
    (/^(?:merged|duplicate)$/.test(row.state) &&
      places.some(({ dedupe }) => dedupe !== undefined)) ||
    !finalRules.sinks.has(row.sink) ||
    isGivenUp(row.sink, finalRules, played);
  return [...finalRules.watches.keys()].flatMap((watch) =>
    [...tweets.values()].flatMap((tweet): readonly string[] => {
      if (expected(watch, tweet).claim !== "must") return [];
      const event = events.get(`${nameOf(watch)} ${tweet.id}`);
      if (event === undefined)
        return [`nobody was ever alerted to ${label(tweet, played)}, which ${watch} must report`];
      return (alerts.get(event.id) ?? [])
        .filter((alert) => !hasArrived(alert))
        .map(
          ({ row }) =>
            `${row.sink} was never alerted to ${label(tweet, played)}, which ${watch} must report`,
        );
    }),
  );
}

/** The digest of a snooze is sent within this time after its end. */
const SNOOZE_SENT_MS = 5 * 60_000;

/** Whether an alert waits for the next digest, or is counted in one that cannot list more. */
const isStillGathered = ({ state }: Alert["row"], digest: WrittenDigest | undefined): boolean =>
  digest !== undefined && (state === "waiting" || state === "summarised");

/** Whether a sink refused messages for good, or perhaps for longer than they are retried. */
const isGivenUp = (name: string, rules: Rules, { scenario }: Played): boolean =>
  scenario.steps.some(
    (step) =>
      step.do === "sink trouble" &&
      (step.sink === name || step.kind === "rate-limited-globally") &&
      (step.kind === "refusing" || (rules.sinks.get(name)?.retryForMs ?? 0) <= 3_600_000),
  );
