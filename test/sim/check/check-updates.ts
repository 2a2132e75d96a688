/**
 * Checks edits of sent messages. They happen only if the sink is configured so or an alert was
 * acknowledged, only for messages that exist, and otherwise at most once a minute for each message.
 * A deleted post is marked.
 */
import { isForgotten } from "./lives.ts";
import type { Attempt } from "../run/sinks.ts";
import type { Evidence } from "./evidence.ts";
import { groupBy, isEdit } from "./outbox.ts";
import type { SinkRules } from "./rules.ts";

const MINUTE_MS = 60_000;
/** An attempt takes time to arrive, and the next one may take less. */
const SLACK_MS = 1_000;
/** Edits come after new messages, and a failed edit waits up to a quarter of an hour. */
const EDITED_WITHIN_MS = 10 * MINUTE_MS;

export function checkUpdates(evidence: Evidence): readonly string[] {
  const edits = evidence.played.attempts.filter(isEdit);
  const byMessage = groupBy(edits, (edit) => `${edit.sink} ${refOf(edit)}`);
  return [...byMessage.values()]
    .flatMap((own) => [...objectTo(own, evidence)])
    .concat(findUnmarked(byMessage, evidence));
}

/** Returns the id by which the receiver knows the edited message. */
export function refOf({ wire, body, path }: Attempt): string {
  const { ts, message_id: id } = body as { readonly ts?: string; readonly message_id?: number };
  return wire === "slack-bot"
    ? (ts ?? "")
    : wire === "telegram"
      ? String(id)
      : (path.split("/").at(-1) ?? "");
}

const causesOf = (sink: SinkRules | undefined): readonly string[] =>
  (sink?.keys["update"] ?? []) as readonly string[];

function objectTo(
  edits: readonly Attempt[],
  { played, epochs, outbox, isClockSet }: Evidence,
): readonly string[] {
  const [first] = edits;
  if (first === undefined) return [];
  const { sink } = first;
  const what = `${sink}: message ${refOf(first)}`;
  // An edit that shows who acknowledged an alert is made whenever that changes.
  const message = [...outbox.messages.values()].find(
    (one) => one.sink === sink && one.ref === refOf(first),
  );
  const members = outbox.members.get(message?.id ?? "") ?? [];
  const isMarked = played.left.marks.some(
    ({ kind, eventId }) =>
      kind === "acknowledged" && members.some(({ event }) => event.id === eventId),
  );
  const isWanted =
    isMarked || epochs.some(({ rules }) => causesOf(rules.sinks.get(sink)).length > 0);
  // A message that is sent again leaves no trace of the message that had the alert before.
  const isThere = message !== undefined;
  const isHasty = edits.some((edit, n) => {
    const before = edits[n - 1];
    const isKnown =
      before?.accepted === true &&
      before.answeredAtMs !== undefined &&
      !isForgotten(played, before, SLACK_MS);
    return isKnown && edit.atMs - (before?.atMs ?? 0) < MINUTE_MS - SLACK_MS;
  });
  return [
    ...(isWanted ? [] : [`${what} is edited, and nobody wants it`]),
    ...(isThere ? [] : [`${what} is edited, and nobody posted it`]),
    ...(isHasty && !isClockSet && !isMarked ? [`${what} is edited twice within a minute`] : []),
  ];
}

/**
 * Finds messages that lack the mark of an update. Checks only sinks that had no trouble and could
 * always edit, and only where enough time was left.
 */
function findUnmarked(
  byMessage: ReadonlyMap<string, readonly Attempt[]>,
  { played, epochs, outbox, isClockSet }: Evidence,
): readonly string[] {
  const { mode, steps } = played.scenario;
  if (mode !== "liveness" || isClockSet) return [];
  const troubled = new Set(
    steps.flatMap((step) => (step.do === "sink trouble" ? [step.sink] : [])),
  );
  const isEditing = (sink: string) =>
    epochs.every(({ rules }) => causesOf(rules.sinks.get(sink)).includes("deleted"));
  const gone = new Map(
    played.left.events.flatMap(({ type, subject, detectedAtMs }) =>
      type === "tweet.deleted" ? [[subject, detectedAtMs] as const] : [],
    ),
  );
  return [...outbox.messages.values()].flatMap((message) => {
    const { id, sink, ref, state, doneAtMs } = message;
    const [alert, ...others] = outbox.members.get(id) ?? [];
    const goneMs = gone.get(alert?.event.subject ?? "");
    if (
      alert?.event.type !== "tweet.created" ||
      others.length > 0 ||
      goneMs === undefined ||
      state !== "sent" ||
      ref === null
    )
      return [];
    const knownMs = Math.max(goneMs, doneAtMs ?? 0);
    if (
      troubled.has(sink) ||
      troubled.size > 0 ||
      !isEditing(sink) ||
      knownMs + EDITED_WITHIN_MS > played.endMs
    )
      return [];
    const last = byMessage.get(`${sink} ${ref}`)?.findLast(({ accepted }) => accepted);
    return last?.text !== undefined && /is(?:\+|%20|\s)gone/.test(last.text)
      ? []
      : [`${sink}: message ${ref} still shows ${alert.event.subject}, which is gone`];
  });
}
