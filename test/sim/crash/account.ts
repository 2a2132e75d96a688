/**
 * Compares the outcome of the canonical scenario when a process was cut with its outcome when none
 * was.
 */
import { check } from "../check/check.ts";
import { type Evidence, gather } from "../check/evidence.ts";
import { isForgotten } from "../check/lives.ts";
import { isEdit, rootOf } from "../check/outbox.ts";
import type { Played } from "../run/simulate.ts";
import type { Attempt } from "../run/sinks.ts";

/** The facts that were found, and those that arrived at each sink. */
export interface Outcome {
  /** The number of events for each fact. */
  readonly events: ReadonlyMap<string, number>;
  /** The facts that arrived, each with the sink that took it. */
  readonly arrived: ReadonlySet<string>;
  /** The number of silences whose adding was answered. */
  readonly silences: number;
}

export interface Account {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Everything else that is wrong. */
  readonly others: readonly string[];
  /**
   * The number of messages that a sink took again with the same key, because the answer to the
   * first attempt was in transit when the process ended.
   */
  readonly copies: number;
}

/** Returns the fact that an event reports. After the reload the watch `w0` is called `w10`. */
const factOf = ({
  watch,
  type,
  subject,
}: {
  readonly watch: string;
  readonly type: string;
  readonly subject: string;
}): string => `${watch === "w10" ? "w0" : watch} ${type} ${subject}`;

export function outcomeOf(played: Played): Outcome {
  const events = new Map<string, number>();
  for (const event of played.left.events)
    if (event.watchType !== "daemon")
      events.set(factOf(event), (events.get(factOf(event)) ?? 0) + 1);
  const answered = played.silences.filter(({ certainFromMs }) => Number.isFinite(certainFromMs));
  return { events, arrived: arrivedIn(gather(played)), silences: answered.length };
}

/** Returns the items that reached a sink, by an alert or by an edit of a message. */
function arrivedIn({ outbox, played }: Evidence): ReadonlySet<string> {
  const taken = new Set(
    [...outbox.attempts].flatMap(([id, attempts]) => (attempts.some(isTaken) ? [id] : [])),
  );
  const alerts = outbox.alerts.filter(({ event }) => event.watchType !== "daemon");
  const found = alerts.filter((alert) => taken.has(rootOf(alert, outbox).row.messageId ?? ""));
  const edits = played.attempts.filter((attempt) => attempt.accepted && isEdit(attempt));
  return new Set([
    ...found.map(({ row, event }) => `${row.sink} ${factOf(event)}`),
    ...edits.map(({ sink, body }) => `${sink} edited: ${wordsOf(body)}`),
  ]);
}

/** Returns the text without its counts, which are those of the last poll. */
const wordsOf = (body: unknown): string =>
  String((body as { readonly text?: unknown }).text).replaceAll(/^(?:Views|Followers) .*\n/gm, "");

/** Discord answers a repeat with 200 and the message that is there already. */
const isTaken = ({ accepted, wire, status }: Attempt): boolean =>
  accepted || (wire === "discord-bot" && status === 200);

/** Results are stored at most this long after the answer. */
const STORED_WITHIN_MS = 1_000;

export function accountOf(played: Played, expected: Outcome): Account {
  const outcome = outcomeOf(played);
  const missing = (from: Iterable<string>, there: { has(key: string): boolean }) =>
    [...from].filter((key) => !there.has(key));
  const { copies, wrong } = repeatsIn(gather(played));
  // What a silence would have held back arrives if the process ended before the silence was stored.
  const surplus =
    outcome.silences < expected.silences ? [] : missing(outcome.arrived, expected.arrived);
  return {
    lost: [
      ...missing(expected.events.keys(), outcome.events).map((fact) => `no event: ${fact}`),
      ...missing(expected.arrived, outcome.arrived).map((fact) => `never arrived: ${fact}`),
    ],
    doubled: [...outcome.events]
      .filter(([fact, count]) => count > (expected.events.get(fact) ?? 0))
      .map(([fact]) => `two events: ${fact}`),
    others: [
      ...surplus.map((fact) => `must not arrive: ${fact}`),
      ...wrong,
      ...check(played).filter((objection) => !isOfScenario(objection)),
    ],
    copies,
  };
}

/**
 * The checks know nothing about backfills, nor that a dead letter which is sent again leaves its
 * first message empty.
 */
const isOfScenario = (objection: string): boolean =>
  /\bold[01] \(|^s1: message \S+ holds no alert$/.test(objection);

function repeatsIn({ outbox, played }: Evidence): {
  readonly copies: number;
  readonly wrong: readonly string[];
} {
  const wrong: string[] = [];
  let copies = 0;
  for (const [id, attempts] of outbox.attempts) {
    const taken = attempts.filter(({ accepted }) => accepted);
    for (const [n, attempt] of taken.entries()) {
      const before = taken[n - 1];
      if (before === undefined) continue;
      copies += 1;
      if (!isForgotten(played, before, STORED_WITHIN_MS))
        wrong.push(`${attempt.sink}: message ${id} arrived again, though it was not in flight`);
      if (attempt.text !== before.text)
        wrong.push(`${attempt.sink}: message ${id} arrived again with another text`);
    }
  }
  const keys = new Map<string, Set<string>>();
  for (const [id, members] of outbox.members) {
    if (!(outbox.attempts.get(id) ?? []).some(({ accepted }) => accepted)) continue;
    for (const { event, row } of members) {
      const key = `${row.sink} ${event.id}`;
      keys.set(key, (keys.get(key) ?? new Set()).add(id));
    }
  }
  for (const [key, ids] of keys)
    if (ids.size > 1) wrong.push(`${key} arrived under ${ids.size} keys`);
  return { copies, wrong };
}
