/**
 * Checks that every alert has one outcome, and that the receivers saw the same. A message that the
 * state calls sent was accepted, one that was given up had its time, and a waiting one has a due
 * time that comes and a timer for its group.
 */
import { ESCALATED } from "./acts.ts";
import { isDropped, isFollowUp } from "./check-follow-ups.ts";
import type { LeftDelivery, LeftMessage } from "../run/read-state.ts";
import type { Attempt } from "../run/sinks.ts";
import type { Evidence } from "./evidence.ts";
import { mutedUntil } from "./mutes.ts";
import { groupBy, isBehindHeld, isReported } from "./outbox.ts";

const MIN_MS = 60_000;
/** The longest pause between two attempts at a sink whose breaker is open. */
const LONGEST_REST_MS = 70 * MIN_MS;
const DAY_MS = 24 * 60 * MIN_MS;

export const checkOutbox = (evidence: Evidence): readonly string[] => [
  ...evidence.outbox.unmatched
    .filter(({ accepted }) => accepted)
    .map(({ sink, text }) => `${sink} got what the outbox does not hold: ${text.slice(0, 200)}`),
  ...[...evidence.outbox.messages.values()].flatMap((message) => checkMessage(message, evidence)),
  ...evidence.outbox.alerts.flatMap(({ row }) => checkJoined(row, evidence)),
  ...checkTimers(evidence),
  ...checkDrained(evidence),
];

function checkMessage(
  message: LeftMessage,
  { outbox, epochs, isClockSet, played }: Evidence,
): readonly string[] {
  const { id, sink, state, cause, doneAtMs, sealedAtMs, firstAttemptAtMs, groupKey } = message;
  const attempts = outbox.attempts.get(id) ?? [];
  const objections: string[] = [];
  if (
    state === "sent" &&
    sink !== "console" &&
    !attempts.some(isTaken) &&
    !attempts.some(isRefused)
  )
    objections.push(`${sink}: message ${id} counts as sent, and nobody took it`);
  if (!outbox.members.has(id) && !groupKey.startsWith("announcement\n"))
    objections.push(`${sink}: message ${id} holds no alert`);
  if (state !== "dead" || isClockSet) return objections;
  const retryForMs = Math.min(
    ...epochs.map(({ rules }) => rules.sinks.get(sink)?.retryForMs ?? Number.POSITIVE_INFINITY),
  );
  const dueAtMs = Math.min(
    ...(outbox.members.get(id) ?? []).map(({ row }) => row.dueAtMs ?? 0),
    sealedAtMs,
  );
  // A message behind an open breaker is given up when it has been due for `retry_for`, and its sink
  // has taken nothing since.
  const givenUpAtMs = doneAtMs ?? 0;
  const isBehindBreaker = !played.attempts.some(
    (attempt) =>
      attempt.sink === sink &&
      isReported(attempt) &&
      attempt.atMs > givenUpAtMs - retryForMs &&
      attempt.atMs < givenUpAtMs,
  );
  const countedFromMs = isBehindBreaker ? dueAtMs : (firstAttemptAtMs ?? dueAtMs);
  if (cause === "expired" && givenUpAtMs < countedFromMs + retryForMs)
    objections.push(`${sink}: message ${id} was given up before its time: ${message.error}`);
  if (
    cause !== "expired" &&
    !attempts.some(isRefused) &&
    !attempts.some(({ wire }) => /-webhook$/.test(wire))
  )
    objections.push(`${sink}: message ${id} was given up as ${cause}, and nobody refused it`);
  return objections;
}

/** Discord answers a repeat with 200 and the message that is there already. */
const isTaken = ({ accepted, wire, status }: Attempt): boolean =>
  accepted || (wire === "discord-bot" && status === 200);

const isRefused = ({ accepted, wire, status, trouble }: Attempt): boolean =>
  !accepted && (trouble === "refusing" || (wire !== "slack-bot" && status === 400));

/**
 * Checks alerts that count as reported by another alert: that one must be of the same sink and
 * about the same thing.
 */
function checkJoined(
  { id, sink, state, joinedId, eventId, messageId, dueAtMs }: LeftDelivery,
  { outbox, played }: Evidence,
): readonly string[] {
  if (state === "sealed" && !outbox.messages.has(messageId ?? ""))
    return [`${sink}: alert ${id} is in a message that is not there`];
  const groupKey = outbox.messages.get(messageId ?? "")?.groupKey ?? "";
  if (state === "summarised" && !groupKey.startsWith("digest\nschedule\n"))
    return [`${sink}: alert ${id} is only counted, in a digest without a schedule`];
  if (state === "waiting" && dueAtMs === null)
    return [`${sink}: alert ${id} waits without a due time`];
  if (state !== "merged" && state !== "duplicate") return [];
  const other = outbox.alerts.find(({ row }) => row.id === joinedId);
  const own = played.left.events.find((event) => event.id === eventId);
  // A waiting repeat is replaced by the value that the next poll found, and a follow-up is left out
  // if nobody was shown its alert.
  const isLeftOut = own !== undefined && (own.body["repeat"] !== undefined || isFollowUp(own));
  if (state === "duplicate" && joinedId === null && isLeftOut) return [];
  // The alerts have the same key for a `dedupe`. check-dedupe.ts checks whether they do.
  const isByKey = outbox.alerts.some(
    ({ row, places }) => row.id === id && places.some(({ dedupe }) => dedupe !== undefined),
  );
  // A follow-up is reported by the edit of its alert, or left out like the alert.
  const isAbout = own !== undefined && isFollowUp(own) && other?.event.subject === own.subject;
  const isLike =
    other?.event.type === own?.type && (isByKey || other?.event.subject === own?.subject);
  const isSame = other?.row.sink === sink && (isAbout || isLike);
  // Whatever joined a follow-up is dropped together with it.
  if (isSame && other !== undefined && isDropped(other)) return [];
  return isSame && !/^(?:merged|duplicate|muted)$/.test(other?.row.state ?? "")
    ? []
    : [`${sink}: alert ${id} counts as reported by ${joinedId}, which does not`];
}

/**
 * Checks the timers of groups. A timer that is not set to the group's first alert never fires, or
 * fires late.
 */
function checkTimers({ outbox, played }: Evidence): readonly string[] {
  const waiting = outbox.alerts.filter(({ row }) => row.state === "waiting" && row.isGrouped === 1);
  const timers = new Map(
    played.left.groups.map(({ sink, groupKey, dueAtMs }) => [`${sink}\n${groupKey}`, dueAtMs]),
  );
  return [...groupBy(waiting, ({ row }) => `${row.sink}\n${row.groupKey}`)].flatMap(
    ([group, alerts]) => {
      const dueAtMs = Math.min(...alerts.map(({ row }) => row.dueAtMs ?? Number.POSITIVE_INFINITY));
      const timer = timers.get(group) ?? null;
      return timer !== null && timer <= dueAtMs
        ? []
        : [`the timer of ${JSON.stringify(group)} is ${timer} where ${dueAtMs} is due`];
    },
  );
}

/**
 * Checks that once nothing fails any more, nothing due remains, and nothing is postponed for longer
 * than a mute or the summary of a day takes.
 */
function checkDrained({ outbox, played, finalRules, isClockSet }: Evidence): readonly string[] {
  if (played.scenario.mode !== "liveness" || isClockSet) return [];
  const { endMs } = played;
  const isThere = ({ sink }: { readonly sink: string }) => finalRules.sinks.has(sink);
  const open = [...outbox.messages.values()]
    .filter(
      (message) =>
        message.state === "open" &&
        isThere(message) &&
        (message.nextAttemptAtMs ?? 0) < endMs - LONGEST_REST_MS,
    )
    .map(({ id, sink, error }) => `${sink}: message ${id} is due and stays: ${error}`);
  const waiting = outbox.alerts.flatMap(({ row, event, places }) => {
    if (row.state !== "waiting" || !isThere(row)) return [];
    const lateMs = endMs - (row.dueAtMs ?? 0);
    if (lateMs > LONGEST_REST_MS)
      return isBehindHeld({ row, event }, outbox, endMs)
        ? []
        : [
            `${row.sink}: ${event.type} of ${event.watch} is due for ${Math.round(lateMs / MIN_MS)} min and stays`,
          ];
    // Days that are muted completely have no end to wait for.
    const { mutes = [], actives = [] } = finalRules.sinks.get(row.sink)?.hours ?? {};
    const isAlways =
      event.type === ESCALATED
        ? mutedUntil({ mutes, actives, isDropping: false }, endMs) === undefined
        : places.some(({ hours }) => mutedUntil(hours, endMs) === undefined);
    return lateMs < -9 * DAY_MS && !isAlways
      ? [`${row.sink}: ${event.type} of ${event.watch} is put off for days`]
      : [];
  });
  return [...open, ...waiting];
}
