/**
 * The schema that all migrations together make on SQLite, for a state that does not exist yet. It
 * is written by `npx vitest run test/state/newest-schema.test.ts -u`.
 */
export const NEWEST_SCHEMA = `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp"
  varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked"
  integer default 0 not null);
CREATE TABLE "watches" ("key" text primary key, "id" text not null, "type" text not null,
  "registered_at" bigint not null, "paused" integer not null, "position" integer not null,
  "removed_at" bigint, "accounts" text default '{}' not null, "enabled" integer default 1 not
  null, "away_at" bigint);
CREATE INDEX "watches_id" on "watches" ("id");
CREATE TABLE "targets" ("id" integer primary key, "watch_key" text not null references
  "watches" ("key") on delete cascade, "key" text not null, "name" text not null, "user_id"
  text, "username" text, "registered_at" bigint not null, "baseline_at" bigint, "memory" text
  not null, "revision" integer not null, "status" text not null, "status_reason" text not null,
  "position" integer not null, "known_items" integer not null, "removed_at" bigint,
  "merged_into" text, constraint "targets_watch_key" unique ("watch_key", "key"));
CREATE TABLE "sources" ("fingerprint" text primary key, "memory" text not null, "revision"
  integer not null, "last_poll_at" bigint, "last_ok_at" bigint);
CREATE TABLE "items" ("item_id" text not null, "target_id" integer not null, "item_kind" text
  not null, "verdict" text not null, "detail" text not null, "occurred_at" bigint not null,
  "seen_at" bigint not null, "event_id" text, constraint "items_pk" primary key ("item_id",
  "target_id"));
CREATE TABLE "events" ("id" text primary key, "seq" integer not null, "type" text not null,
  "watch_key" text not null, "watch" text not null, "watch_type" text not null, "subject" text
  not null, "handle" text, "user_id" text, "labels" text not null, "occurred_at" bigint not
  null, "detected_at" bigint not null, "body" text not null);
CREATE INDEX "events_seq" on "events" ("seq");
CREATE TABLE "deliveries" ("id" integer primary key, "event_id" text not null references
  "events" ("id"), "sink" text not null, "group_key" text not null, "grouped" integer not null,
  "not_before" bigint not null, "once_key" text, "throttle_key" text, "state" text not null,
  "detail" text not null, "due_at" bigint not null, "created_at" bigint not null, "message_id"
  text, "joined_id" integer, "original_group_key" text, "held_by" text, "silenced_by" text,
  "replayed_at" bigint, "template" text, "routed" text, "worded_by" text, "wording_error" text,
  "after_id" integer, "follows_id" integer, "taken" text, constraint "deliveries_event_sink"
  unique ("event_id", "sink"));
CREATE INDEX "deliveries_waiting" on "deliveries" ("sink", "grouped", "due_at") where state =
  'waiting';
CREATE INDEX "deliveries_group" on "deliveries" ("sink", "group_key") where state = 'waiting'
  and grouped = 1;
CREATE INDEX "deliveries_once" on "deliveries" ("sink", "once_key") where once_key is not null;
CREATE INDEX "deliveries_joined" on "deliveries" ("joined_id") where joined_id is not null;
CREATE TABLE "groups" ("sink" text not null, "group_key" text not null, "due_at" bigint,
  "last_sealed_at" bigint, "interval_ms" integer, constraint "groups_pk" primary key ("sink",
  "group_key"));
CREATE INDEX "groups_due" on "groups" ("sink", "due_at") where due_at is not null;
CREATE TABLE "messages" ("id" text primary key, "seq" integer not null, "sink" text not null,
  "group_key" text not null, "throttle_key" text, "sealed_at" bigint not null, "state" text not
  null, "attempts" integer not null, "first_attempt_at" bigint, "next_attempt_at" bigint not
  null, "done_at" bigint, "ref" text, "error" text not null, "body" text not null, "parent_id"
  text, "cause" text default '' not null, "reported_at" bigint, "acknowledged_at" bigint,
  "channel" text, "sealed_for" text, "taken" text, "held_by" text, "footer" text);
CREATE INDEX "messages_due" on "messages" ("sink", "next_attempt_at") where state = 'open';
CREATE INDEX "messages_group" on "messages" ("sink", "group_key", "seq") where state = 'open';
CREATE INDEX "messages_throttle" on "messages" ("throttle_key", "sealed_at") where
  throttle_key is not null;
CREATE TABLE "sink_health" ("sink" text primary key, "breaker" text not null, "reason" text
  not null, "opened_at" bigint, "probe_at" bigint, "cause" text default 'transient' not null,
  "hint" text default '' not null, "is_reported" integer default 0 not null, "reported_at"
  bigint, "gone_from" text);
CREATE TABLE "ledger" ("id" integer primary key, "endpoint" text not null, "watch" text not
  null, "billed" integer not null, "reserved_at" bigint not null, "answered" integer not null,
  "slot_at" bigint not null, "status" integer, "key" text default '' not null, "further" integer
  default 0 not null);
CREATE INDEX "ledger_slots" on "ledger" ("answered", "slot_at");
CREATE INDEX "ledger_reserved" on "ledger" ("reserved_at");
CREATE TABLE "notes" ("name" text primary key, "value" text not null);
CREATE TABLE "housekeeping" ("name" text primary key, "value" text not null);
CREATE TABLE "sequences" ("name" text primary key, "value" integer not null);
CREATE TABLE "members" ("target_id" integer not null, "user_id" text not null, "seen_at"
  bigint not null, "username" text not null, "display_name" text not null, "followers_count"
  integer not null, "image_url" text not null, constraint "members_pk" primary key ("target_id",
  "user_id"));
CREATE TABLE "spent_hours" ("hour" integer not null, "key" text default '' not null,
  "requests" integer not null, constraint "spent_hours_by_key" primary key ("hour", "key"));
CREATE TABLE "spent_lines" ("hour" integer not null, "watch" text not null, "endpoint" text
  not null, "key" text default '' not null, "requests" integer not null, constraint
  "spent_lines_by_key" primary key ("hour", "watch", "endpoint", "key"));
CREATE TABLE "rechecks" ("target_id" integer not null, "tweet_id" text not null, "due_at"
  bigint not null, "until_at" bigint not null, "event_id" text not null, "condition" text not
  null, "absences" integer not null, "versions" text default '' not null, constraint
  "rechecks_pk" primary key ("target_id", "tweet_id"));
CREATE INDEX "rechecks_due" on "rechecks" ("due_at");
CREATE INDEX "events_watch_time" on "events" ("watch_key", "occurred_at");
CREATE INDEX "messages_done" on "messages" ("sink", "state", "done_at") where "state" !=
  'open';
CREATE INDEX "messages_dead" on "messages" ("sink", "done_at") where state = 'dead' and
  acknowledged_at is null;
CREATE INDEX "deliveries_message" on "deliveries" ("message_id") where message_id is not null;
CREATE TABLE "audit" ("id" integer primary key, "at" bigint not null, "action" text not null,
  "detail" text not null);
CREATE TABLE "crossposts" ("message_id" text primary key, "sink" text not null, "ref" text not
  null, "state" text not null, "attempts" integer not null, "created_at" bigint not null,
  "next_attempt_at" bigint not null, "done_at" bigint, "reported_at" bigint, "error" text not
  null);
CREATE INDEX "crossposts_waiting" on "crossposts" ("sink", "created_at") where state =
  'waiting';
CREATE INDEX "crossposts_not_published" on "crossposts" ("sink", "done_at") where state =
  'not_published';
CREATE TABLE "learned" ("scope" text not null, "key" text not null, "value" text not null,
  "epoch" integer not null, "revision" integer not null, constraint "learned_pk" primary key
  ("scope", "key"));
CREATE TABLE "silences" ("id" integer primary key, "matchers" text not null, "starts_at"
  bigint not null, "ends_at" bigint not null, "author" text not null, "comment" text not null,
  "kind" text default 'silence' not null, "sinks" text, "event_id" text);
CREATE INDEX "deliveries_silenced" on "deliveries" ("silenced_by", "sink") where state =
  'silenced';
CREATE TABLE "attempts" ("message_id" text not null, "at" bigint not null, "error" text not
  null);
CREATE INDEX "attempts_message" on "attempts" ("message_id", "at");
CREATE TABLE "backfill_reads" ("fingerprint" text primary key, "read" text not null, "read_at"
  bigint not null);
CREATE TABLE "backfill_tweets" ("fingerprint" text not null, "tweet_id" text not null,
  "posted_at" bigint not null, "body" text not null, constraint "backfill_tweets_key" primary
  key ("fingerprint", "tweet_id"));
CREATE TABLE "enrichments" ("event_id" text primary key, "seq" integer not null, "watch_key"
  text not null, "own_sinks" text not null, "gather_ms" bigint, "state" text not null,
  "created_at" bigint not null, "next_at" bigint not null, "attempts" integer not null, "error"
  text not null, "backfilled" integer);
CREATE INDEX "enrichments_waiting" on "enrichments" ("watch_key", "seq") where state =
  'waiting';
CREATE TABLE "mentions" ("message_id" text not null, "mention" text not null, "sink" text not
  null, "mentioned_at" bigint not null, constraint "mentions_pk" primary key ("message_id",
  "mention"));
CREATE INDEX "mentions_by_sink" on "mentions" ("sink", "mention", "mentioned_at");
CREATE TABLE "threads" ("sink" text not null, "thread_key" text not null, "message_id" text
  not null, "ends_at" bigint not null, constraint "threads_pk" primary key ("sink",
  "thread_key"));
CREATE INDEX "threads_by_message" on "threads" ("message_id");
CREATE INDEX "messages_by_parent" on "messages" ("parent_id") where parent_id is not null;
CREATE TABLE "edits" ("delivery_id" integer primary key, "shown" text not null, "versions"
  text not null, "state" text not null, "revision" integer not null, "attempts" integer not
  null, "wanted_at" bigint not null, "due_at" bigint not null, "edited_at" bigint, "body" text,
  "error" text not null);
CREATE INDEX "edits_waiting" on "edits" ("due_at") where state = 'waiting';
CREATE TABLE "levels" ("event_id" text not null, "sink" text not null, "created_at" bigint not
  null, "repeat_ms" bigint, "next_at" bigint, "repeats" integer not null, "rules" text,
  "last_at" bigint, "last_event_id" text, constraint "levels_pk" primary key ("event_id",
  "sink"));
CREATE TABLE "replicas" ("id" text not null primary key, "host" text not null, "config" text
  not null, "leads" integer not null, "joined_at" integer not null);
CREATE TABLE "claims" ("kind" text not null, "key" text not null, "cost" real not null,
  "replica" text, "wanted" text not null, constraint "claims_key" primary key ("kind", "key"));
CREATE TABLE "config_revisions" ("number" integer not null primary key, "hash" text not null,
  "at" integer not null, "cause" text not null, "by" text not null, "body" text);
CREATE INDEX "events_subject" on "events" ("subject");
CREATE TABLE "watch_hours" ("watch_key" text not null, "hour" bigint not null, "items_read"
  integer not null, "filtered" integer not null, constraint "watch_hours_key" primary key
  ("watch_key", "hour"));
CREATE INDEX "watch_hours_by_hour" on "watch_hours" ("hour");
CREATE TABLE "event_marks" ("event_id" text not null, "kind" text not null, "marked_at" bigint
  not null, "marked_by" text not null, "marked_from" text not null, "undone_at" bigint,
  constraint "event_marks_pk" primary key ("event_id", "kind"));
CREATE TABLE "message_footers" ("message_id" text primary key, "sink" text not null, "state"
  text not null, "revision" integer not null, "attempts" integer not null, "due_at" bigint not
  null, "shown" text, "error" text not null);
CREATE INDEX "message_footers_due" on "message_footers" ("sink", "due_at") where state =
  'waiting';
CREATE TABLE "archive" ("at" bigint not null, "id" text not null, "until" bigint not null,
  "reads" integer not null, "compressed" integer not null, "bytes" integer not null, "body" text
  not null, constraint "archive_key" primary key ("at", "id"));
CREATE TABLE "escalations" ("delivery_id" integer primary key, "message_id" text, "base_at"
  bigint not null, "begun_at" bigint not null, "at_once" integer not null, "due_at" bigint,
  "revision" integer not null, "plan" text, "taken" text not null, "ended" text not null);
CREATE INDEX "escalations_due" on "escalations" ("due_at") where due_at is not null;
CREATE TABLE "clicks" ("id" text primary key, "person" text not null, "clicked_at" bigint not
  null);
insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0);
insert into "sequences" ("name", "value") values ('target', 0);
insert into "sequences" ("name", "value") values ('event', 0);
insert into "sequences" ("name", "value") values ('delivery', 0);
insert into "sequences" ("name", "value") values ('ledger', 0);
insert into "sequences" ("name", "value") values ('audit', 0);
insert into "sequences" ("name", "value") values ('silence', 0);
insert into "sequences" ("name", "value") values ('enrichment', 0);
`;
