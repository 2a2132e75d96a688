/**
 * Finds what the outbox must do now: sealed messages whose next attempt is due, and groups that
 * must become messages.
 */
import { readDigestGroup } from "../../model/digest.ts";
import type { DueGroup, DueMessage } from "../../model/outbox.ts";
import { lastPeriodOf } from "./digest-period.ts";
import { snoozedOn } from "./snoozed-on.ts";
import { DIGEST_AT_ONCE, seriesOf } from "./digest-series.ts";
import { alertAhead, isNotBehindAlert, withoutBehind } from "./alert-ahead.ts";
import { outdatedMessages } from "./gone-posts.ts";
import { isNotBehindMessage } from "./group-timers.ts";
import { type GroupWork, readGroups } from "./read-groups.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";
import { GROUPED, OPEN, SEALED, SINGLE, WAITING } from "../db/literals.ts";

/**
 * The maximum number of members of one message. A group that has waited for long is sent in several
 * messages instead of being read into memory at once. Digests have a limit of their own, because
 * they count what they do not list.
 */
export const MEMBERS_AT_ONCE = 1_000;

export interface DueQuery {
  readonly nowMs: number;
  readonly sinks: readonly string[];
  readonly busy: ReadonlySet<string>;
  readonly inHand?: number | undefined;
  readonly limit: number;
}

interface Asked {
  readonly sink: string;
  readonly now: number;
  readonly limit: number;
}

interface AskedMessages extends Asked {
  readonly inHand: number;
}

const dueMessages = statement<AskedMessages>()((on, slot) =>
  on
    .selectFrom("messages as m")
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .select([
      "m.id",
      "m.sink",
      "m.group_key",
      "m.sealed_at",
      "m.attempts",
      "m.first_attempt_at",
      "m.next_attempt_at",
    ])
    .select(["parent.ref as thread_ref", "parent.channel as thread_channel", "m.taken", "m.footer"])
    .where("m.state", "=", OPEN)
    .where("m.sink", "=", slot("sink"))
    .where("m.next_attempt_at", "<=", slot("now"))
    // If the caller has in hand as many messages as are open, it has all of them.
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("messages as beside")
          .select("beside.id")
          .where("beside.state", "=", OPEN)
          .where("beside.sink", "=", slot("sink"))
          .orderBy("beside.next_attempt_at")
          .limit(1)
          .offset(slot("inHand")),
      ),
    )
    .where((eb) => eb.or([eb("parent.state", "is", null), eb("parent.state", "!=", OPEN)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages as older")
            .select("older.id")
            .where("older.state", "=", OPEN)
            .whereRef("older.sink", "=", "m.sink")
            .whereRef("older.group_key", "=", "m.group_key")
            .whereRef("older.seq", "<", "m.seq"),
        ),
      ),
    )
    .orderBy("m.next_attempt_at")
    // All messages that a mute held back have the same next attempt, the end of the mute, so they
    // are sent in the order in which they were sealed.
    .orderBy("m.sealed_at")
    .orderBy("m.seq")
    .limit(slot("limit")),
);

const bodies = listStatement<object, string>()((on, list) =>
  on.selectFrom("messages").select(["id", "body"]).where("id", "in", list),
);

const listedCounts = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select((eb) => ["message_id", eb.fn.countAll<number>().as("count")])
    .where("message_id", "in", list)
    .where("message_id", "is not", null)
    .where("state", "=", SEALED)
    .groupBy("message_id"),
);

const dueSingles = statement<Asked>()((on, slot) =>
  on
    .selectFrom("deliveries as d")
    .select(["d.id", "d.group_key"])
    .where("d.state", "=", WAITING)
    .where("d.sink", "=", slot("sink"))
    .where("d.grouped", "=", SINGLE)
    .where("d.due_at", "<=", slot("now"))
    .where(isNotBehindAlert)
    .orderBy("d.due_at")
    .orderBy("d.id")
    .limit(slot("limit")),
);

const dueGroups = statement<Asked>()((on, slot) =>
  on
    .selectFrom("groups as g")
    .select(["g.group_key", "g.due_at", "g.last_sealed_at"])
    .where("g.sink", "=", slot("sink"))
    .where("g.due_at", "is not", null)
    .where("g.due_at", "<=", slot("now"))
    .where(isNotBehindMessage)
    .orderBy("g.due_at")
    .limit(slot("limit")),
);

const groupMembers = statement<{ sink: string; groupKey: string; now: number; limit: number }>()(
  (on, slot) =>
    on
      .selectFrom("deliveries as d")
      .select(["d.id", "d.due_at"])
      .select((eb) => alertAhead(eb).as("ahead_id"))
      .where("d.state", "=", WAITING)
      .where("d.grouped", "=", GROUPED)
      .where("d.sink", "=", slot("sink"))
      .where("d.group_key", "=", slot("groupKey"))
      .where("d.due_at", "<=", slot("now"))
      .orderBy("d.id")
      .limit(slot("limit")),
);

type Work =
  | { readonly kind: "message"; readonly row: MessageHead }
  | ({ readonly kind: "group" } & GroupWork);

interface MessageHead {
  readonly id: string;
  readonly sink: string;
  readonly group_key: string;
  readonly sealed_at: number;
  readonly attempts: number;
  readonly first_attempt_at: number | null;
  readonly thread_ref: string | null;
  readonly taken?: string | null | undefined;
  readonly thread_channel?: string | null | undefined;
  readonly footer?: string | null | undefined;
}

/**
 * Returns the work that is due. Sinks take turns, so that a sink with a long backlog does not delay
 * the others. Within a sink the oldest comes first.
 */
export async function dueWork(
  db: Executor,
  query: DueQuery,
): Promise<{ readonly groups: readonly DueGroup[]; readonly messages: readonly DueMessage[] }> {
  const perSink: Work[][] = [];
  for (const sink of query.sinks) perSink.push(await workOfSink(db, sink, query));
  const work = alternate(perSink, query.limit);
  return {
    groups: await readGroups(
      db,
      work.flatMap((w) => (w.kind === "group" ? [w] : [])),
    ),
    messages: await readMessages(
      db,
      work.flatMap((w) => (w.kind === "message" ? [w.row] : [])),
    ),
  };
}

async function workOfSink(db: Executor, sink: string, query: DueQuery): Promise<Work[]> {
  const { nowMs: now, busy } = query;
  const asked: Asked = { sink, now, limit: query.limit + busy.size };
  const isFree = (row: { group_key: string }) => !busy.has(`${sink}\n${row.group_key}`);
  const open = { ...asked, inHand: query.inHand ?? 0 };
  const messages = (await dueMessages(db, open)).rows.filter(isFree);
  const work: Work[] = messages.map((row) => ({ kind: "message", row }));
  for (const row of (await dueGroups(db, asked)).rows.filter(isFree).slice(0, query.limit)) {
    const groupKey = row.group_key;
    const isDigest = readDigestGroup(groupKey) !== undefined;
    const { rows } = await groupMembers(db, {
      sink,
      groupKey,
      now,
      limit: isDigest ? DIGEST_AT_ONCE : MEMBERS_AT_ONCE,
    });
    const free = withoutBehind(rows);
    if (free.length === 0) continue;
    const members = free.map((member) => Number(member.id));
    const series = isDigest
      ? await seriesOf(db, row, { sink, now, dueAtMs: rows.map((member) => Number(member.due_at)) })
      : undefined;
    const lastPeriod = isDigest ? await lastPeriodOf(db, sink, groupKey) : undefined;
    const dueAtMs = Math.max(...rows.map((member) => Number(member.due_at)));
    work.push({
      kind: "group",
      sink,
      groupKey,
      members,
      dueAtMs,
      series,
      lastPeriod,
      ...(isDigest ? { snoozedOn: await snoozedOn(db, sink, groupKey) } : {}),
    });
  }
  const singles = (await dueSingles(db, asked)).rows.filter(isFree).slice(0, query.limit);
  const first = (w: Work) => (w.kind === "group" ? (w.members[0] ?? 0) : 0);
  const groups = [
    ...work.filter((w) => w.kind === "group"),
    ...singles.map(
      (row): Work => ({ kind: "group", sink, groupKey: row.group_key, members: [row.id] }),
    ),
  ];
  return [
    ...work.filter((w) => w.kind === "message"),
    ...groups.sort((a, b) => first(a) - first(b)),
  ];
}

function alternate(perSink: readonly (readonly Work[])[], limit: number): Work[] {
  const taken: Work[] = [];
  for (
    let turn = 0;
    taken.length < limit && perSink.some((work) => work.length > turn);
    turn += 1
  ) {
    for (const work of perSink) {
      const next = work[turn];
      if (next !== undefined && taken.length < limit) taken.push(next);
    }
  }
  return taken;
}

const placeOf = (channel: string | null | undefined = null): Pick<DueMessage, "threadChannel"> =>
  channel === null ? {} : { threadChannel: channel };

async function readMessages(db: Executor, rows: readonly MessageHead[]): Promise<DueMessage[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const text = new Map((await bodies(db, ids, {})).rows.map((row) => [row.id, row.body]));
  const alerts = new Map(
    (await listedCounts(db, ids, {})).rows.map((row) => [row.message_id, Number(row.count)]),
  );
  const outdated = await outdatedMessages(db, ids);
  return rows.map((row) => ({
    id: row.id,
    sink: row.sink,
    groupKey: row.group_key,
    sealedAtMs: Number(row.sealed_at),
    body: fromText(text.get(row.id) ?? "null"),
    alerts: alerts.get(row.id) ?? 0,
    ...(typeof row.footer === "string" ? { footer: row.footer } : {}),
    attempts: row.attempts,
    firstAttemptAtMs: row.first_attempt_at,
    ...(row.thread_ref === null ? {} : { threadRef: row.thread_ref }),
    ...(typeof row.taken === "string" ? { taken: fromText<readonly string[]>(row.taken) } : {}),
    ...(row.thread_ref === null ? {} : placeOf(row.thread_channel)),
    ...(outdated.has(row.id) ? { isOutdated: true } : {}),
  }));
}
