/**
 * The tables as Kysely sees them. Times are epoch ms, JSON is text, booleans are 0 or 1, because
 * both SQLite and Postgres have these.
 */
import type { Verdict } from "../../model/event.ts";
import type { ClaimsTable, ConfigRevisionsTable, ReplicasTable } from "./replica-tables.ts";
import type {
  AttemptsTable,
  CrosspostsTable,
  DeliveriesTable,
  GroupsTable,
  MessagesTable,
  SilencesTable,
  SinkHealthTable,
} from "./outbox-tables.ts";
import type {
  EditsTable,
  EventMarksTable,
  LevelsTable,
  MentionsTable,
  ThreadsTable,
} from "./sent-tables.ts";
import type { TargetStatus } from "../../model/watch-store.ts";

export interface WatchesTable {
  /** Random and immutable. Events and items refer to it. */
  key: string;
  /** The name in the YAML. `moved_from` can give it to another watch. */
  id: string;
  type: string;
  registered_at: number;
  paused: number;
  position: number;
  removed_at: number | null;
  /** JSON: user ids by handle, for accounts that the watch names in addition to its targets. */
  accounts: string;
  /** 0 if it is configured and not polled. */
  enabled: number;
  /** Since when it has been paused, disabled or removed; null while it is polled. */
  away_at: number | null;
}

export interface TargetsTable {
  id: number;
  watch_key: string;
  key: string;
  name: string;
  user_id: string | null;
  username: string | null;
  registered_at: number;
  baseline_at: number | null;
  memory: string;
  revision: number;
  status: TargetStatus;
  status_reason: string;
  position: number;
  known_items: number;
  removed_at: number | null;
  /**
   * The key of the target of the same watch that follows the same account. This row is then only a
   * second name.
   */
  merged_into: string | null;
}

export interface SourcesTable {
  fingerprint: string;
  memory: string;
  revision: number;
  last_poll_at: number | null;
  last_ok_at: number | null;
}

export interface ItemsTable {
  item_id: string;
  target_id: number;
  item_kind: "tweet" | "user";
  verdict: Verdict;
  detail: string;
  occurred_at: number;
  seen_at: number;
  event_id: string | null;
}

/** The accounts on a list whose departures are reported. */
export interface MembersTable {
  target_id: number;
  user_id: string;
  /** The start of the last read that found the member. */
  seen_at: number;
  username: string;
  display_name: string;
  followers_count: number;
  image_url: string;
}

/** The fresh tweets that are rechecked. */
export interface RechecksTable {
  target_id: number;
  tweet_id: string;
  due_at: number;
  until_at: number;
  /** The event that was created from it; "" while its condition rejects it. */
  event_id: string;
  condition: string;
  absences: number;
  /**
   * The versions of its text so far, as `textVersion` names them, separated by spaces; "" if none
   * is known.
   */
  versions: string;
}

export interface EventsTable {
  id: string;
  seq: number;
  type: string;
  watch_key: string;
  watch: string;
  watch_type: string;
  subject: string;
  /**
   * The handle in lower case, and below it the id, of the account that the event is about; used to
   * find an id by handle.
   */
  handle: string | null;
  user_id: string | null;
  labels: string;
  body: string;
  occurred_at: number;
  detected_at: number;
}

/** What polls read of a watch in an hour. There is no row if they read nothing. */
export interface WatchHoursTable {
  watch_key: string;
  hour: number;
  items_read: number;
  filtered: number;
}

/** The sources that were read back on an operator's request within the last day. */
export interface BackfillReadsTable {
  fingerprint: string;
  /** JSON: how far the backfill has read, and where it goes on. */
  read: string;
  /** When the backfill began. */
  read_at: number;
}

/** The tweets that backfills have found. */
export interface BackfillTweetsTable {
  fingerprint: string;
  tweet_id: string;
  posted_at: number;
  body: string;
}

/**
 * The events whose watch has `enrich`. Their deliveries are created when the state becomes `ok`,
 * `failed` or `muted`.
 */
export interface EnrichmentsTable {
  event_id: string;
  seq: number;
  watch_key: string;
  /** JSON: the sinks of the watch when the event was found. */
  own_sinks: string;
  /**
   * For an event from the time while the watch was away: how long a chat's digest gathers.
   * Otherwise null.
   */
  gather_ms: number | null;
  /** 1 if a backfill found it. */
  backfilled: number | null;
  /** `muted`: a quiet restore dropped it. */
  state: "waiting" | "ok" | "failed" | "muted";
  created_at: number;
  /** The endpoint is not asked before this time. */
  next_at: number;
  attempts: number;
  /** The error of the last attempt. */
  error: string;
}

/** What operators did to alerts. */
export interface AuditTable {
  id: number;
  at: number;
  action: string;
  detail: string;
}

export interface LedgerTable {
  id: number;
  endpoint: string;
  watch: string;
  billed: number;
  reserved_at: number;
  answered: number;
  /**
   * When the rate window counts the request: first the time of the reservation, then of the answer.
   */
  slot_at: number;
  status: number | null;
  /** The name of the key that pays; "" in rows from before keys had names. */
  key: string;
  /** 1 for a page beyond the first of a scheduled poll. */
  further: number;
}

/**
 * The billed attempts per hour since the epoch and key. The sum of a month reads at most 744 rows
 * per key.
 */
export interface SpentHoursTable {
  hour: number;
  key: string;
  requests: number;
}

export interface SpentLinesTable {
  hour: number;
  watch: string;
  endpoint: string;
  key: string;
  requests: number;
}

export interface LearnedTable {
  scope: string;
  key: string;
  /** JSON. */
  value: string;
  /** The epoch of the process that wrote it; 0 while there is only one process. */
  epoch: number;
  /** The number of times that it was written before. */
  revision: number;
}

export interface NotesTable {
  name: string;
  value: string;
}

/** The last number of each kind that gave a row its order. On Postgres this is a view. */
export interface SequencesTable {
  name: string;
  value: number;
}

export interface Tables {
  watches: WatchesTable;
  targets: TargetsTable;
  sources: SourcesTable;
  items: ItemsTable;
  members: MembersTable;
  rechecks: RechecksTable;
  events: EventsTable;
  deliveries: DeliveriesTable;
  groups: GroupsTable;
  messages: MessagesTable;
  attempts: AttemptsTable;
  backfill_reads: BackfillReadsTable;
  backfill_tweets: BackfillTweetsTable;
  levels: LevelsTable;
  silences: SilencesTable;
  enrichments: EnrichmentsTable;
  audit: AuditTable;
  crossposts: CrosspostsTable;
  mentions: MentionsTable;
  threads: ThreadsTable;
  edits: EditsTable;
  event_marks: EventMarksTable;
  sink_health: SinkHealthTable;
  ledger: LedgerTable;
  spent_hours: SpentHoursTable;
  spent_lines: SpentLinesTable;
  notes: NotesTable;
  learned: LearnedTable;
  watch_hours: WatchHoursTable;
  replicas: ReplicasTable;
  claims: ClaimsTable;
  config_revisions: ConfigRevisionsTable;
  /** The store's own values: `clean`, `probe`. */
  housekeeping: NotesTable;
  sequences: SequencesTable;
}
