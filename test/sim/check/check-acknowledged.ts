/**
 * Checks acknowledgements: each one is in the state, and messages show it. When the system is at
 * rest, an editable message shows who acknowledged its alerts. A message sealed after an
 * acknowledgement shows it from the start.
 */
import type { LeftMark, LeftMessage } from "../run/read-state.ts";
import type { Attempt, Wire } from "../run/sinks.ts";
import { actsOn, areCertain, ESCALATED } from "./acts.ts";
import { isTroubled } from "./check-delay.ts";
import type { Evidence } from "./evidence.ts";
import { type Alert, groupBy, isEdit, isPart } from "./outbox.ts";
import { isForPrograms } from "./receipts.ts";
import { refOf } from "./check-updates.ts";

const MIN_MS = 60_000;
/** Edits wait for messages, for each other, and for pauses that a receiver asked for. */
const SHOWN_WITHIN_MS = 5 * MIN_MS;
const EDGE_MS = 2_000;

const EDITING: readonly Wire[] = ["slack-bot", "discord-bot", "telegram"];

export const checkAcknowledged = (evidence: Evidence): readonly string[] => [
  ...checkMarks(evidence),
  ...checkShown(evidence),
  ...checkSealed(evidence),
];

/**
 * Checks that the last answered act on each alert is in the state, unless the outcome is in doubt.
 */
function checkMarks(evidence: Evidence): readonly string[] {
  const { marks, events } = evidence.played.left;
  return (["acknowledged", "not_relevant"] as const).flatMap((kind) => {
    const holds = new Map(
      marks.flatMap((mark) =>
        mark.kind === kind && mark.undoneAtMs === null ? [[mark.eventId, mark]] : [],
      ),
    );
    return events.flatMap(({ id, type, subject }) => {
      // An escalation has no marks of its own: test/state/escalations-contract.ts.
      if (type === ESCALATED) return [];
      const acts = actsOn(kind, id, evidence);
      const what = `${type} ${subject}`;
      if (acts.length === 0) return holds.has(id) ? [`${what} is ${kind}, and nobody said so`] : [];
      if (!areCertain(acts, id)) return [];
      const isUndone = acts.at(-1)?.isUndo === true;
      if (isUndone === holds.has(id))
        return [`${what} is ${isUndone ? "still" : "not"} ${kind}, although it was answered`];
      // The first person who acknowledged it counts.
      const since = acts.slice(acts.findLastIndex(({ isUndo }) => isUndo) + 1);
      const by = since.find(({ changed }) => changed !== 0)?.by;
      return by === undefined || holds.get(id)?.by === by
        ? []
        : [`${what} is ${kind} by ${holds.get(id)?.by} instead of ${by}`];
    });
  });
}

const acknowledgedBy = (
  members: readonly Alert[],
  { played }: Pick<Evidence, "played">,
): readonly LeftMark[] =>
  members.flatMap(({ event }) =>
    played.left.marks.filter(
      ({ eventId, kind, undoneAtMs }) =>
        eventId === event.id && kind === "acknowledged" && undoneAtMs === null,
    ),
  );

/**
 * Checks that edited messages show their acknowledgements. Sinks that had trouble are left out,
 * because their edits may have been given up.
 */
function checkShown(evidence: Evidence): readonly string[] {
  const { played, outbox, isClockSet, epochs } = evidence;
  const { mode, steps } = played.scenario;
  if (mode !== "liveness" || isClockSet) return [];
  const edits = groupBy(
    played.attempts.filter((attempt) => isEdit(attempt) && attempt.accepted),
    (edit) => `${edit.sink} ${refOf(edit)}`,
  );
  return [...outbox.messages.values()].flatMap((message) => {
    const { id, sink, ref, state, doneAtMs } = message;
    const members = outbox.members.get(id) ?? [];
    const posts = (outbox.attempts.get(id) ?? []).filter(({ accepted }) => accepted);
    const wire = posts.at(-1)?.wire;
    const isThere = epochs.every(({ rules }) => rules.sinks.has(sink));
    const rules = epochs.at(-1)?.rules.sinks.get(sink);
    if (state !== "sent" || ref === null || members.length === 0 || rules === undefined) return [];
    if (wire === undefined || !EDITING.includes(wire) || !isThere) return [];
    if (isTroubled(sink, rules, steps)) return [];
    const own = played.left.marks.filter(({ eventId }) =>
      members.some(({ event }) => event.id === eventId),
    );
    const changedMs = Math.max(
      doneAtMs ?? 0,
      ...own.map(({ atMs, undoneAtMs }) => Math.max(atMs, undoneAtMs ?? 0)),
    );
    if (changedMs + SHOWN_WITHIN_MS > played.endMs) return [];
    const last = [...posts, ...(edits.get(`${sink} ${ref}`) ?? [])]
      .toSorted((a, b) => a.atMs - b.atMs)
      .at(-1);
    return last === undefined ? [] : compare(message, last, members, evidence);
  });
}

function compare(
  { id, sink }: LeftMessage,
  last: Attempt,
  members: readonly Alert[],
  evidence: Evidence,
): readonly string[] {
  const marks = acknowledgedBy(members, evidence);
  const wanted = footerOf(marks, members.length);
  const shown = footerIn(last);
  return wanted === shown || (wanted !== undefined && shown?.startsWith(wanted) === true)
    ? []
    : [
        `${sink}: message ${id} shows ${JSON.stringify(shown)} instead of ${JSON.stringify(wanted)}`,
      ];
}

/** Returns the beginning of the footer, up to the first name or the first count. */
function footerOf(marks: readonly LeftMark[], alerts: number): string | undefined {
  if (marks.length === 0) return undefined;
  const counts = [...groupBy(marks, ({ by }) => by).values()].map(({ length }) => length);
  if (counts.length === 1 && marks.length === alerts)
    return alerts === 1 ? "Acknowledged by " : `All ${alerts} acknowledged by `;
  return `Acknowledged: ${Math.max(...counts)} of ${alerts} by `;
}

/**
 * Returns the footer that an attempt shows. No post of the simulated world contains these words.
 */
const footerIn = ({ body }: Attempt): string | undefined =>
  /(?:All \d+ a|A)cknowledged(?: by |: \d+ of \d+ by )/.exec(
    JSON.stringify(body).replaceAll("\\\\", ""),
  )?.[0];

/**
 * Checks messages that were sealed some time after an alert of theirs was acknowledged: the first
 * attempt already shows it.
 */
function checkSealed(evidence: Evidence): readonly string[] {
  const { outbox, isClockSet, played, epochs } = evidence;
  if (isClockSet) return [];
  return [...outbox.messages.values()].flatMap((message) => {
    const { id, sink, sealedAtMs } = message;
    const [first] = outbox.attempts.get(id) ?? [];
    const members = outbox.members.get(id) ?? [];
    if (first === undefined || isPart(message) || first.wire === "console") return [];
    const isMarked = played.left.marks.some(
      (mark) =>
        mark.kind === "acknowledged" &&
        mark.atMs <= sealedAtMs - EDGE_MS &&
        (mark.undoneAtMs ?? Number.POSITIVE_INFINITY) >= sealedAtMs + EDGE_MS &&
        members.some(({ event }) => event.id === mark.eventId),
    );
    // A template decides the whole text, so it need not show acknowledgements.
    const isOwnText = epochs.some(
      ({ rules }) => rules.sinks.get(sink)?.keys["template"] !== undefined,
    );
    if (!isMarked || isOwnText) return [];
    const isShown = isForPrograms(first.wire)
      ? first.text.includes('"acknowledged":{')
      : footerIn(first) !== undefined;
    return isShown
      ? []
      : [`${sink}: message ${id} was made after its alert was acknowledged, and does not say so`];
  });
}
