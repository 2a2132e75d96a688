/**
 * Reads the state as the last process left it, from its file with plain SQL: what was found, what
 * still waits, and what the ledger counts.
 */
import { existsSync } from "node:fs";
import type { JsonObject } from "../../../src/model/json.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";

const Database = loadDriver();

export interface LeftEvent {
  readonly id: string;
  readonly type: string;
  /** The watch. "" and `daemon` for the daemon's own events. */
  readonly watch: string;
  readonly watchType: string;
  readonly subject: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** When the event happened. */
  readonly occurredAtMs: number;
  readonly detectedAtMs: number;
}

export interface LeftDelivery {
  /** Ids follow the order of creation. */
  readonly id: number;
  readonly eventId: string;
  readonly sink: string;
  readonly groupKey: string;
  readonly originalGroupKey: string | null;
  readonly isGrouped: number;
  readonly state:
    | "waiting"
    | "sealed"
    | "summarised"
    | "muted"
    | "silenced"
    | "deleted"
    | "duplicate"
    | "merged";
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  readonly messageId: string | null;
  readonly joinedId: number | null;
  /** When an operator had it sent again. */
  readonly replayedAtMs: number | null;
}

export interface LeftMessage {
  readonly id: string;
  readonly sink: string;
  readonly groupKey: string;
  readonly throttleKey: string | null;
  readonly body: string;
  readonly sealedAtMs: number;
  readonly state: "open" | "sent" | "dead";
  readonly firstAttemptAtMs: number | null;
  readonly nextAttemptAtMs: number | null;
  readonly doneAtMs: number | null;
  readonly error: string;
  readonly cause: string;
  /** The first message of its digest or thread. */
  readonly parentId: string | null;
  /** The sink's own id of the message. */
  readonly ref: string | null;
  /** The footer with which the message was made. */
  readonly footer: string | null;
}

/** A mark that a person put on an alert. */
export interface LeftMark {
  readonly eventId: string;
  readonly kind: "acknowledged" | "not_relevant";
  readonly by: string;
  readonly atMs: number;
  readonly undoneAtMs: number | null;
}

/** The progress of an escalation. */
export interface LeftEscalation {
  readonly deliveryId: number;
  readonly baseAtMs: number;
  readonly dueAtMs: number | null;
  readonly ended: string;
}

export interface LeftState {
  /** Billed attempts in the ledger, by the name of the key that pays. */
  readonly ledger: ReadonlyMap<string, number>;
  /** The requests in the hourly sums, and in those by watch and endpoint. */
  readonly hours: number;
  readonly lines: number;
  /** The verdict on every item that was ever read. */
  readonly verdicts: readonly {
    readonly watch: string;
    readonly itemId: string;
    readonly verdict: string;
    readonly detail: string;
  }[];
  readonly events: readonly LeftEvent[];
  readonly deliveries: readonly LeftDelivery[];
  readonly messages: readonly LeftMessage[];
  readonly marks: readonly LeftMark[];
  readonly escalations: readonly LeftEscalation[];
  /** Ids of events that wait for their enrichment. */
  readonly unenriched: readonly string[];
  /** The timers of groups. */
  readonly groups: readonly {
    readonly sink: string;
    readonly groupKey: string;
    readonly dueAtMs: number | null;
  }[];
  /** The due times of enrichment answers, edits, repeats of a level, escalations and rechecks. */
  readonly timers: readonly { readonly what: string; readonly dueAtMs: number }[];
  /**
   * For each open gap of a feed, when it last shrank or was opened, and when the feed was last
   * read.
   */
  readonly gaps: readonly {
    readonly feed: string;
    readonly shrunkAtMs: number;
    readonly polledAtMs: number;
  }[];
  /** The number of changes that replicas announced. */
  readonly announcements: number;
  /** The known replicas, and which of them does which part of the work. */
  readonly replicas: readonly { readonly id: string; readonly leads: 0 | 1 }[];
  readonly claims: readonly {
    readonly kind: string;
    readonly key: string;
    readonly replica: string | null;
    readonly wanted: string;
  }[];
}

/** The part of a feed's memory that says what is missing. */
interface LeftFeed {
  readonly stretches?: readonly {
    readonly hole?: { readonly horizonMs: number; readonly age?: { readonly shrunkAtMs: number } };
  }[];
}

/**
 * Reads the timers. An edit and a repeat are due only after the message that they concern was sent,
 * because an alert may wait for a digest until the end. Nothing is due for a watch that is not
 * polled.
 */
const TIMERS = `
  with polled as (select key from watches where enabled = 1 and paused = 0 and removed_at is null)
  select 'an answer of an enrichment' as what, next_at as dueAtMs from enrichments where state = 'waiting'
  union all select 'an edit', x.due_at from edits x
    join deliveries d on d.id = x.delivery_id join messages m on m.id = d.message_id
    where x.state = 'waiting' and m.state = 'sent' and m.ref is not null
  union all select 'a repeat of a level', l.next_at from levels l
    join events e on e.id = l.event_id
    join deliveries d on d.event_id = l.event_id and d.sink = l.sink
    left join messages m on m.id = d.message_id
    where l.next_at is not null and d.state <> 'waiting' and coalesce(m.state, '') <> 'open'
      and e.watch_key in (select key from polled)
  union all select 'an escalation', due_at from escalations where due_at is not null
  union all select 'a recheck', r.due_at from rechecks r join targets t on t.id = r.target_id
    where t.removed_at is null and t.watch_key in (select key from polled)`;

const NOTHING: LeftState = {
  ledger: new Map(),
  hours: 0,
  lines: 0,
  verdicts: [],
  events: [],
  deliveries: [],
  messages: [],
  marks: [],
  escalations: [],
  unenriched: [],
  groups: [],
  timers: [],
  gaps: [],
  replicas: [],
  announcements: 0,
  claims: [],
};

/**
 * Reads the state at a path. Returns an empty one if the daemon never got far enough to create it.
 */
export function readState(path: string): LeftState {
  if (!existsSync(path)) return NOTHING;
  const database = new Database(path, { fileMustExist: true });
  const all = <T>(sql: string): readonly T[] => database.prepare(sql).all() as T[];
  const sum = (table: string): number =>
    all<{ readonly sum: number }>(`select coalesce(sum(requests), 0) as sum from ${table}`)[0]
      ?.sum ?? 0;
  try {
    const billed = all<{ readonly key: string; readonly count: number }>(
      "select key, count(*) as count from ledger where billed = 1 group by key",
    );
    return {
      ledger: new Map(billed.map(({ key, count }) => [key, count])),
      hours: sum("spent_hours"),
      lines: sum("spent_lines"),
      verdicts: all(
        "select w.id as watch, i.item_id as itemId, i.verdict, i.detail from items i join targets t on t.id = i.target_id join watches w on w.key = t.watch_key order by 1, 2, 3",
      ),
      events: all<LeftEvent & { readonly labels: string; readonly body: string }>(
        "select id, type, watch, watch_type as watchType, subject, labels, body, occurred_at as occurredAtMs, detected_at as detectedAtMs from events order by seq",
      ).map((event) => ({
        ...event,
        labels: JSON.parse(event.labels) as LeftEvent["labels"],
        body: JSON.parse(event.body) as JsonObject,
      })),
      deliveries: all(
        "select id, event_id as eventId, sink, group_key as groupKey, original_group_key as originalGroupKey, grouped as isGrouped, state, due_at as dueAtMs, created_at as createdAtMs, message_id as messageId, joined_id as joinedId, replayed_at as replayedAtMs from deliveries order by id",
      ),
      messages: all(
        "select id, sink, group_key as groupKey, throttle_key as throttleKey, body, sealed_at as sealedAtMs, state, first_attempt_at as firstAttemptAtMs, next_attempt_at as nextAttemptAtMs, done_at as doneAtMs, error, cause, parent_id as parentId, ref, footer from messages order by seq",
      ),
      marks: all(
        "select event_id as eventId, kind, marked_by as by, marked_at as atMs, undone_at as undoneAtMs from event_marks order by 1, 2",
      ),
      escalations: all(
        "select delivery_id as deliveryId, base_at as baseAtMs, due_at as dueAtMs, ended from escalations order by 1",
      ),
      unenriched: all<{ readonly id: string }>(
        "select event_id as id from enrichments where state = 'waiting' order by seq",
      ).map(({ id }) => id),
      groups: all(
        "select sink, group_key as groupKey, due_at as dueAtMs from groups order by 1, 2",
      ),
      timers: all(TIMERS),
      gaps: all<{ readonly feed: string; readonly memory: string; readonly polledAtMs: number }>(
        "select fingerprint as feed, memory, coalesce(last_poll_at, 0) as polledAtMs from sources order by 1",
      ).flatMap(({ feed, memory, polledAtMs }) =>
        ((JSON.parse(memory) as LeftFeed).stretches ?? []).flatMap(({ hole }) =>
          hole === undefined
            ? []
            : [{ feed, polledAtMs, shrunkAtMs: hole.age?.shrunkAtMs ?? hole.horizonMs }],
        ),
      ),
      announcements: Number(
        all<{ readonly value: string }>(
          "select value from housekeeping where name = 'announcements'",
        )[0]?.value ?? 0,
      ),
      replicas: all("select id, leads from replicas order by id"),
      claims: all("select kind, key, replica, wanted from claims order by kind, key"),
    };
  } catch (error) {
    // The process was cut before it created its tables.
    if (error instanceof Database.SqliteError && /no such table/.test(error.message))
      return NOTHING;
    throw error;
  } finally {
    database.close();
  }
}
