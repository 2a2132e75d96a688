/**
 * Counts billed requests in the ledger: their sum in a period, their number in each hour, and, for
 * the audit, how many requests the service must and may have counted between two readings of its
 * own count.
 */
import type {
  AuditCount,
  AuditMark,
  AuditReading,
  FurtherPageCount,
  LedgerLine,
} from "../../model/ledger.ts";
import { type Executor, statement } from "../db/statement.ts";

export const HOUR_MS = 3_600_000;

const sumHours = statement<{ hour: number }>()((on, slot) =>
  on
    .selectFrom("spent_hours")
    .select((eb) => ["key", eb.fn.sum<number | null>("requests").as("requests")])
    .where("hour", ">=", slot("hour"))
    .groupBy("key"),
);

const countRows = statement<{ since: number; until: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => ["key", eb.fn.countAll<number>().as("requests")])
    .where("reserved_at", ">=", slot("since"))
    .where("reserved_at", "<", slot("until"))
    .where("billed", "=", 1)
    .groupBy("key"),
);

/**
 * Returns the number of billed attempts since a time, by key. For full hours the ledger has sums;
 * the attempts of the partial first hour are counted one by one.
 */
export async function spentByKey(
  on: Executor,
  sinceMs: number,
): Promise<ReadonlyMap<string, number>> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const sums = new Map<string, number>();
  const add = (rows: readonly { readonly key: string; readonly requests: number | null }[]) => {
    for (const { key, requests } of rows)
      sums.set(key, (sums.get(key) ?? 0) + Number(requests ?? 0));
  };
  add((await sumHours(on, { hour: wholeHour })).rows);
  if (wholeHour * HOUR_MS !== sinceMs)
    add((await countRows(on, { since: sinceMs, until: wholeHour * HOUR_MS })).rows);
  return sums;
}

const sumLines = statement<{ hour: number }>()((on, slot) =>
  on
    .selectFrom("spent_lines")
    .select(["watch", "endpoint", "key", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", slot("hour"))
    .groupBy(["watch", "endpoint", "key"]),
);

const countLines = statement<{ since: number; until: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select(["watch", "endpoint", "key", (eb) => eb.fn.countAll<number>().as("requests")])
    .where("reserved_at", ">=", slot("since"))
    .where("reserved_at", "<", slot("until"))
    .where("billed", "=", 1)
    .groupBy(["watch", "endpoint", "key"]),
);

/**
 * Returns the number of billed attempts since a time, in total and by watch, endpoint and key, the
 * largest first.
 */
export async function spentSince(
  db: Executor,
  sinceMs: number,
): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const whole = await sumLines(db, { hour: wholeHour });
  const part = await countLines(db, { since: sinceMs, until: wholeHour * HOUR_MS });
  return addUp([...whole.rows, ...part.rows]);
}

function addUp(rows: readonly LedgerLine[]): { total: number; lines: LedgerLine[] } {
  const sums = new Map<string, LedgerLine>();
  for (const { watch, endpoint, key, requests } of rows) {
    const name = `${watch}\n${endpoint}\n${key}`;
    sums.set(name, {
      watch,
      endpoint,
      key,
      requests: (sums.get(name)?.requests ?? 0) + Number(requests),
    });
  }
  const lines = [...sums.values()].sort((a, b) => b.requests - a.requests);
  return { total: lines.reduce((sum, line) => sum + line.requests, 0), lines };
}

const sumWatches = statement<{ from: number; to: number }>()((on, slot) =>
  on
    .selectFrom("spent_lines")
    .select(["watch", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", slot("from"))
    .where("hour", "<", slot("to"))
    .groupBy("watch"),
);

/** Returns the number of billed attempts by watch in these hours. */
export async function spentByWatch(
  db: Executor,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sumWatches(db, { from, to });
  return new Map(rows.map(({ watch, requests }) => [watch, Number(requests)]));
}

const sumByHour = statement<{ hour: number }>()((on, slot) =>
  on
    .selectFrom("spent_hours")
    .select(["hour", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", slot("hour"))
    .groupBy("hour")
    .orderBy("hour"),
);

/** Returns the number of billed attempts per hour. The first hour counts only from `sinceMs`. */
export async function spentByHour(
  db: Executor,
  sinceMs: number,
): Promise<readonly { readonly hourMs: number; readonly requests: number }[]> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const { rows } = await sumByHour(db, { hour: wholeHour });
  const whole = rows.map(({ hour, requests }) => ({
    hourMs: hour * HOUR_MS,
    requests: Number(requests),
  }));
  const part = await countRows(db, { since: sinceMs, until: wholeHour * HOUR_MS });
  const first = part.rows.reduce((sum, { requests }) => sum + Number(requests), 0);
  return first === 0 ? whole : [{ hourMs: (wholeHour - 1) * HOUR_MS, requests: first }, ...whole];
}

const countFurther = statement<{ after: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => [
      eb.fn.sum<number | null>("further").as("pages"),
      eb.fn.max<number | null>("id").as("last"),
    ])
    .where("id", ">", slot("after")),
);

export async function countFurtherPages(
  db: Executor,
  afterId: number | undefined,
): Promise<FurtherPageCount> {
  if (afterId === undefined) return { pages: 0, lastId: await lastEntry(db) };
  const { rows } = await countFurther(db, { after: afterId });
  return { pages: Number(rows[0]?.pages ?? 0), lastId: Number(rows[0]?.last ?? afterId) };
}

async function lastEntry(db: Executor): Promise<number> {
  const last = await db
    .selectFrom("ledger")
    .select((eb) => eb.fn.max<number | null>("id").as("id"))
    .executeTakeFirst();
  return Number(last?.id ?? 0);
}

const countOpen = statement<{ key: string; now: number; uncounted: number; underWay: number }>()(
  (on, slot) =>
    on
      .selectFrom("ledger")
      .select((eb) => eb.fn.countAll<number>().as("requests"))
      .where("key", "=", slot("key"))
      .where("billed", "=", 1)
      .where("reserved_at", "<=", slot("now"))
      .where("reserved_at", ">=", slot("underWay"))
      .where((eb) => eb.or([eb("answered", "=", 0), eb("slot_at", ">=", slot("uncounted"))])),
);

const countSpan = statement<{ key: string; after: number; upTo: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => eb.fn.countAll<number>().as("requests"))
    .where("id", ">", slot("after"))
    .where("id", "<=", slot("upTo"))
    .where("key", "=", slot("key"))
    .where("billed", "=", 1),
);

const countAnswered = statement<{ key: string; after: number; upTo: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => eb.fn.countAll<number>().as("requests"))
    .where("id", ">", slot("after"))
    .where("id", "<=", slot("upTo"))
    .where("key", "=", slot("key"))
    .where("billed", "=", 1)
    .where("answered", "=", 1)
    .where("status", ">=", 200)
    .where("status", "<", 300),
);

/**
 * The maximum duration of an attempt. An older attempt without an answer counts as ended, because a
 * crash may have lost the answer.
 */
const MAX_ATTEMPT_MS = 300_000;

export async function auditMark(
  db: Executor,
  key: string,
  atMs: number,
  marginMs: number,
): Promise<AuditMark> {
  const lastId = await lastEntry(db);
  const { rows } = await countOpen(db, {
    key,
    now: atMs,
    uncounted: atMs - marginMs,
    underWay: atMs - marginMs - MAX_ATTEMPT_MS,
  });
  return { lastId, open: Number(rows[0]?.requests ?? 0) };
}

export async function auditSpan(
  db: Executor,
  key: string,
  from: AuditReading,
  to: AuditReading,
): Promise<AuditCount> {
  const all = await countSpan(db, { key, after: from.lastId, upTo: to.answeredId });
  const answered = await countAnswered(db, { key, after: from.answeredId, upTo: to.lastId });
  return {
    certain: Math.max(0, Number(answered.rows[0]?.requests ?? 0) - to.open),
    possible: from.open + Number(all.rows[0]?.requests ?? 0),
  };
}
