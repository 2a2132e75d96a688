/**
 * The tables as Kysely sees them. Times are epoch ms, JSON is text, truth is 0 or 1: what SQLite
 * and Postgres both take.
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
import type { EditsTable, LevelsTable, MentionsTable, ThreadsTable } from "./sent-tables.ts";
import type { TargetStatus } from "../../model/watch-store.ts";

export interface WatchesTable {
  /** Random and immutable: what events and items hang on. */
  key: string;
  /** The name in the YAML: may change hands by `moved_from`. */
  id: string;
  type: string;
  registered_at: number;
  paused: number;
  position: number;
  removed_at: number | null;
  /** JSON: user ids by handle, of accounts that the watch names beside its targets. */
  accounts: string;
  /** 0: configured, and not polled. */
  enabled: number;
  /** Since when it is paused, disabled or removed; null while it is polled. */
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
   * Key of the target of the same watch that follows the same account; this row is then a mere
   * name.
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

/** Accounts on a list whose departures are reported. */
export interface MembersTable {
  target_id: number;
  user_id: string;
  /** Start of the last read that found the member. */
  seen_at: number;
  username: string;
  display_name: string;
  followers_count: number;
  image_url: string;
}

/** Fresh tweets that are rechecked. */
export interface RechecksTable {
  target_id: number;
  tweet_id: string;
  due_at: number;
  until_at: number;
  /** The event made of it; "" while it waits for its condition. */
  event_id: string;
  condition: string;
  absences: number;
  /**
   * Its texts so far, each as `textVersion` names it, separated by spaces; "" where none is known.
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
  /** Lower-case handle and id of the account the event is about, to find an id by handle. */
  handle: string | null;
  user_id: string | null;
  labels: string;
  body: string;
  occurred_at: number;
  detected_at: number;
}

/** What polls read of a watch in an hour; no row where that is nothing. */
export interface WatchHoursTable {
  watch_key: string;
  hour: number;
  items_read: number;
  filtered: number;
}

/** Sources that were read back on an operator's request, within the last day. */
export interface BackfillReadsTable {
  fingerprint: string;
  /** JSON: how far, and where it goes on. */
  read: string;
  /** When the reading began. */
  read_at: number;
}

/** What they showed. */
export interface BackfillTweetsTable {
  fingerprint: string;
  tweet_id: string;
  posted_at: number;
  body: string;
}

/**
 * One for each event whose watch has `enrich`: its deliveries are created when it is `ok`, `failed`
 * or `muted`.
 */
export interface EnrichmentsTable {
  event_id: string;
  seq: number;
  watch_key: string;
  /** JSON: the sinks of the watch as it was. */
  own_sinks: string;
  /** It came while the watch was away: how long a chat's digest gathers. */
  gather_ms: number | null;
  /** 1: a backfill found it. */
  backfilled: number | null;
  /** `muted`: a quiet restore dropped it. */
  state: "waiting" | "ok" | "failed" | "muted";
  created_at: number;
  /** Not asked before. */
  next_at: number;
  attempts: number;
  /** Of the last attempt. */
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
  /** When the slot counts from: the reservation, then the answer. */
  slot_at: number;
  status: number | null;
  /** Name of the key that pays; "" in rows from before keys had names. */
  key: string;
  /** 1: a page beyond the first of a scheduled poll. */
  further: number;
}

/** Billed attempts per hour since the epoch and key: a month's sum reads at most 744 rows a key. */
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
  /** Of the process that wrote it; 0 while there is only one. */
  epoch: number;
  /** How often it was written before. */
  revision: number;
}

export interface NotesTable {
  name: string;
  value: string;
}

/** The last number of each kind that gave a row its order. On Postgres a view. */
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
  /** The store's own notes: `clean`, `probe`. */
  housekeeping: NotesTable;
  sequences: SequencesTable;
}
