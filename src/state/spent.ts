/** What was spent, read from the ledger: totals of a period, its hours, and what a span must have cost. Enters nothing. */
import type { AuditCount, AuditSpan, LedgerLine } from "../model/ledger.ts";
import { type Executor, statement } from "./statement.ts";

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

/** Billed attempts since a time by key: whole hours from their sums, the broken first hour row by row. */
export async function spentByKey(on: Executor, sinceMs: number): Promise<ReadonlyMap<string, number>> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const sums = new Map<string, number>();
  const add = (rows: readonly { readonly key: string; readonly requests: number | null }[]) => {
    for (const { key, requests } of rows) sums.set(key, (sums.get(key) ?? 0) + Number(requests ?? 0));
  };
  add((await sumHours(on, { hour: wholeHour })).rows);
  if (wholeHour * HOUR_MS !== sinceMs) add((await countRows(on, { since: sinceMs, until: wholeHour * HOUR_MS })).rows);
  return sums;
}

/** Billed attempts since a time, by watch, endpoint and key, the largest first. */
export async function spentSince(
  db: Executor,
  sinceMs: number,
): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const whole = await db
    .selectFrom("spent_lines")
    .select(["watch", "endpoint", "key", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", wholeHour)
    .groupBy(["watch", "endpoint", "key"])
    .execute();
  const part = await db
    .selectFrom("ledger")
    .select(["watch", "endpoint", "key", (eb) => eb.fn.countAll<number>().as("requests")])
    .where("reserved_at", ">=", sinceMs)
    .where("reserved_at", "<", wholeHour * HOUR_MS)
    .where("billed", "=", 1)
    .groupBy(["watch", "endpoint", "key"])
    .execute();
  return addUp([...whole, ...part]);
}

function addUp(rows: readonly LedgerLine[]): { total: number; lines: LedgerLine[] } {
  const sums = new Map<string, LedgerLine>();
  for (const { watch, endpoint, key, requests } of rows) {
    const name = `${watch}\n${endpoint}\n${key}`;
    sums.set(name, { watch, endpoint, key, requests: (sums.get(name)?.requests ?? 0) + Number(requests) });
  }
  const lines = [...sums.values()].sort((a, b) => b.requests - a.requests);
  return { total: lines.reduce((sum, line) => sum + line.requests, 0), lines };
}

/** Hour by hour; the broken first one counts from `sinceMs`. */
export async function spentByHour(
  db: Executor,
  sinceMs: number,
): Promise<readonly { readonly hourMs: number; readonly requests: number }[]> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const rows = await db
    .selectFrom("spent_hours")
    .select(["hour", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", wholeHour)
    .groupBy("hour")
    .orderBy("hour")
    .execute();
  const whole = rows.map(({ hour, requests }) => ({ hourMs: hour * HOUR_MS, requests: Number(requests) }));
  const part = await countRows(db, { since: sinceMs, until: wholeHour * HOUR_MS });
  const first = part.rows.reduce((sum, { requests }) => sum + Number(requests), 0);
  return first === 0 ? whole : [{ hourMs: (wholeHour - 1) * HOUR_MS, requests: first }, ...whole];
}

const countCertain = statement<{ key: string; after: number; before: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => eb.fn.countAll<number>().as("requests"))
    .where("key", "=", slot("key"))
    .where("billed", "=", 1)
    .where("reserved_at", ">", slot("after"))
    .where("answered", "=", 1)
    .where("slot_at", "<", slot("before"))
    .where("status", ">=", 200)
    .where("status", "<", 300),
);

/** Reserved before the end, and not known to have been answered before the start. */
const countPossible = statement<{ key: string; after: number; before: number; held: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => eb.fn.countAll<number>().as("requests"))
    .where("key", "=", slot("key"))
    .where("billed", "=", 1)
    .where("reserved_at", "<=", slot("before"))
    .where("reserved_at", ">=", slot("held"))
    .where("slot_at", ">=", slot("after")),
);

/** No attempt is under way for longer than that. */
const LONGEST_ATTEMPT_MS = HOUR_MS;

export async function auditSpan(db: Executor, { key, from, to, marginMs }: AuditSpan): Promise<AuditCount> {
  const certain = await countCertain(db, { key, after: from.answeredAtMs + marginMs, before: to.askedAtMs - marginMs });
  const after = from.askedAtMs - marginMs;
  const possible = await countPossible(db, { key, after, before: to.answeredAtMs, held: after - LONGEST_ATTEMPT_MS });
  return { certain: Number(certain.rows[0]?.requests ?? 0), possible: Number(possible.rows[0]?.requests ?? 0) };
}
