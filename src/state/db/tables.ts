/**
 * The tables as Kysely sees them. Times are epoch ms, JSON is text, booleans are 0 or 1, because
 * both SQLite and Postgres have these types.
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
  ClicksTable,
  EditsTable,
  EscalationsTable,
  EventMarksTable,
  LevelsTable,
  MentionsTable,
  MessageFootersTable,
  ThreadsTable,
} from "./sent-tables.ts";
import type { TargetStatus } from "../../model/watch-store.ts";

export interface WatchesTable {
  /** A random key of the watch that never changes. Events and targets refer to it. */
  key: string;
  /**
   * The name of the watch in the YAML. `moved_from` can give the row to a watch with another name.
   */
  id: string;
  type: string;
  registered_at: number;
  paused: number;
  position: number;
  removed_at: number | null;
  /** JSON: user ids by handle, for accounts that the watch names in addition to its targets. */
  accounts: string;
  /** 0 if the watch is configured but disabled, so that it is not polled. */
  enabled: number;
  /** Since when the watch has been paused, disabled or removed; null while it is polled. */
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
   * The key of another target of the same watch that follows the same account. This row is then
   * only a second name for that target. Null if there is none.
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

/** The members of lists, such as an account's followers, for watches that report who left. */
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

/** The rechecks of fresh tweets. */
export interface RechecksTable {
  target_id: number;
  tweet_id: string;
  due_at: number;
  until_at: number;
  /**
   * The event that was created from the tweet; "" while the watch's condition rejects the tweet.
   */
  event_id: string;
  condition: string;
  absences: number;
  /**
   * The versions that the tweet's text has had, as `textVersion` names them, separated by spaces;
   * "" if none is known.
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
   * The account that the event is about: its handle in lower case here, its id in `user_id`. Used
   * to find the id of a handle. Null if the event is about no account.
   */
  handle: string | null;
  user_id: string | null;
  labels: string;
  body: string;
  occurred_at: number;
  detected_at: number;
}

/**
 * The numbers of new items that polls read and filtered for a watch in an hour. There is no row for
 * an hour without new items.
 */
export interface WatchHoursTable {
  watch_key: string;
  hour: number;
  items_read: number;
  filtered: number;
}

/** The backfills of the last day: the sources whose past an operator had read. */
export interface BackfillReadsTable {
  fingerprint: string;
  /** JSON: how far the backfill has read, and where it continues. */
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
 * The events whose watch has `enrich`. Their deliveries are created when the state becomes `ok` or
 * `failed`.
 */
export interface EnrichmentsTable {
  event_id: string;
  seq: number;
  watch_key: string;
  /** JSON: the sinks of the watch when the event was found. */
  own_sinks: string;
  /**
   * For how many ms chats collect the event in a digest of missed events, if it happened while its
   * watch was paused, disabled or removed; otherwise null.
   */
  gather_ms: number | null;
  /** 1 if a backfill found the event. */
  backfilled: number | null;
  /** `muted`: dropped by a restore with `--quiet`. */
  state: "waiting" | "ok" | "failed" | "muted";
  created_at: number;
  /** The next request for the enrichment is not made before this time. */
  next_at: number;
  attempts: number;
  /** The error of the last attempt. */
  error: string;
}

/** The actions of operators on alerts. */
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
   * The time at which the rate window counts the request: that of the reservation until there is an
   * answer, then that of the answer.
   */
  slot_at: number;
  status: number | null;
  /** The name of the key that pays; "" in rows from before keys had names. */
  key: string;
  /** 1 for a page beyond the first of a scheduled poll. */
  further: number;
}

/**
 * The number of billed attempts by hour and key. `hour` counts hours since the epoch. The sum of a
 * month reads at most 744 rows per key.
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
  /** The epoch of the process that wrote the value; 0 while there is only one process. */
  epoch: number;
  /** How many times the value was written before. */
  revision: number;
}

/**
 * The archive: everything new that polls read. A row contains one read, or several reads that are
 * compressed together.
 */
export interface ArchiveTable {
  /** The time of the first commit in the row, in epoch ms. */
  at: number;
  /**
   * The place of the first commit among those with the same time, and a hash of the beginning and
   * the length of its reads, which keeps apart what several replicas commit at the same time.
   */
  id: string;
  /** The time of the last commit in the row, in epoch ms. */
  until: number;
  reads: number;
  /** 1 if the reads are compressed together, 0 for those of one commit, not compressed. */
  compressed: number;
  /** The length of the body in characters. */
  bytes: number;
  body: string;
}

export interface NotesTable {
  name: string;
  value: string;
}

/** The last number that was assigned for each kind of row. On Postgres this is a view. */
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
  clicks: ClicksTable;
  message_footers: MessageFootersTable;
  escalations: EscalationsTable;
  sink_health: SinkHealthTable;
  ledger: LedgerTable;
  spent_hours: SpentHoursTable;
  spent_lines: SpentLinesTable;
  notes: NotesTable;
  learned: LearnedTable;
  watch_hours: WatchHoursTable;
  archive: ArchiveTable;
  replicas: ReplicasTable;
  claims: ClaimsTable;
  config_revisions: ConfigRevisionsTable;
  /** Values of the store itself, such as `clean` and `registered`, by name. */
  housekeeping: NotesTable;
  sequences: SequencesTable;
}
