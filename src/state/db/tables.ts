/** The tables as Kysely sees them. Times are epoch ms, JSON is text, truth is 0 or 1: what SQLite and Postgres both take. */
import type { Verdict } from "../../model/event.ts";
import type { ClaimsTable, ReplicasTable } from "./replica-tables.ts";
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
  /** Key of the target of the same watch that follows the same account; this row is then a mere name. */
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
  /** Its texts so far, each as `textVersion` names it, separated by spaces; "" where none is known. */
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

/**
 * `sealed` covers everything after sealing: the message row knows the rest. `summarised`: its message counts it and does not list it.
 * `merged` joined another delivery. `silenced`: a silence holds it back until an operator sends it.
 */
export type DeliveryState = "waiting" | "sealed" | "summarised" | "muted" | "silenced" | "duplicate" | "merged";

export interface DeliveriesTable {
  id: number;
  event_id: string;
  sink: string;
  group_key: string;
  /** 0: the event is its own group. */
  grouped: number;
  not_before: number;
  /** The time interval that holds it back until then; null where none does. */
  held_by: string | null;
  once_key: string | null;
  throttle_key: string | null;
  state: DeliveryState;
  detail: string;
  due_at: number;
  created_at: number;
  message_id: string | null;
  joined_id: number | null;
  /** The group it was created in, where a throttle has moved it into a digest. */
  original_group_key: string | null;
  /** The silence that holds it back, or did until it was sent again. */
  silenced_by: string | null;
  /** When an operator last had it sent again: no silence holds it back after that. */
  replayed_at: number | null;
  /** Its route's own template; null: the sink's. */
  template: string | null;
  /** JSON: why it goes to this sink; null in rows from before that was kept. */
  routed: string | null;
  /** The template that was to write it in its message; null: none. */
  worded_by: string | null;
  /** Why that one did not, and the default was sent. */
  wording_error: string | null;
}

/** Timers of real groups; an event that is its own group has none. */
export interface GroupsTable {
  sink: string;
  group_key: string;
  /** Null while nothing waits. */
  due_at: number | null;
  last_sealed_at: number | null;
}

export interface MessagesTable {
  id: string;
  /** The oldest member's delivery id: messages of one group go out in this order. */
  seq: number;
  sink: string;
  group_key: string;
  throttle_key: string | null;
  body: string;
  sealed_at: number;
  state: "open" | "sent" | "dead";
  attempts: number;
  first_attempt_at: number | null;
  next_attempt_at: number;
  done_at: number | null;
  ref: string | null;
  /** The sink's own id of the place where it stands, where it names one. */
  channel?: string | null;
  error: string;
  /** The message it belongs under: the first of its digest or thread. */
  parent_id: string | null;
  /** Of dead ones: a `DeadCause`; else "". */
  cause: string;
  /** The type of the sink that its body is for; null in rows from before that was kept. */
  sealed_for: string | null;
  /** When the operator was notified that it is dead, and when it was acknowledged or rendered anew. */
  reported_at: number | null;
  acknowledged_at: number | null;
}

/** Attempts at a message that failed, as far as they are kept. */
export interface AttemptsTable {
  message_id: string;
  at: number;
  error: string;
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

export interface SilencesTable {
  id: number;
  /** JSON: the matchers as written. */
  matchers: string;
  starts_at: number;
  ends_at: number;
  author: string;
  comment: string;
}

/** One for each event whose watch has `enrich`: its deliveries are created when it is `ok`, `failed` or `muted`. */
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

/** One for each message that is to be published to its channel's followers. */
export interface CrosspostsTable {
  message_id: string;
  sink: string;
  /** The sink's own id of the message. */
  ref: string;
  state: "waiting" | "published" | "not_published";
  attempts: number;
  created_at: number;
  next_attempt_at: number;
  done_at: number | null;
  /** When the operator was notified that it was not published. */
  reported_at: number | null;
  error: string;
}

/** What operators did to alerts. */
export interface AuditTable {
  id: number;
  at: number;
  action: string;
  detail: string;
}

export interface SinkHealthTable {
  sink: string;
  breaker: "closed" | "open";
  cause: "destination" | "transient";
  reason: string;
  hint: string;
  opened_at: number | null;
  probe_at: number | null;
  is_reported: number;
  reported_at: number | null;
  gone_from: string | null;
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

/** Counters that give rows their order on every database alike. */
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
  /** The store's own notes: `clean`, `probe`. */
  replicas: ReplicasTable;
  claims: ClaimsTable;
  housekeeping: NotesTable;
  sequences: SequencesTable;
}
