/** The ledger: every request is entered before it is sent. One file may be shared by several processes; the transaction decides. */
import type { Grant, LedgerLine, Reservation } from "../model/store.ts";
import { nextNumbers } from "./sequence.ts";
import { type Executor, insertRows, statement, transact } from "./statement.ts";

const HOUR_MS = 3_600_000;
/**
 * After the clock was set back, slots of the future count as now, once and for all: else they would be taken until the clock caught
 * up. A little ahead is no such thing: calls queue, and each brings the time it was made at.
 */
const SKEW_MS = 1_000;
const hourOf = (epochMs: number): number => Math.floor(epochMs / HOUR_MS);

const slots = statement<{ heldSince: number; answeredSince: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select(["id", "answered", "slot_at"])
    .where("answered", "=", 0)
    .where("slot_at", ">", slot("heldSince"))
    .unionAll(
      on.selectFrom("ledger").select(["id", "answered", "slot_at"]).where("answered", "=", 1).where("slot_at", ">", slot("answeredSince")),
    ),
);

const pullBack = statement<{ id: number; now: number }>()((on, slot) =>
  on
    .updateTable("ledger")
    .set({ slot_at: slot("now") })
    .where("id", "=", slot("id")),
);

const insertEntry = insertRows(
  "ledger",
  ["id", "endpoint", "watch", "billed", "reserved_at", "answered", "slot_at", "status"],
  (insert) => insert,
);

const addHour = insertRows("spent_hours", ["hour", "requests"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column("hour").doUpdateSet((eb) => ({ requests: eb("spent_hours.requests", "+", eb.ref("excluded.requests")) })),
  ),
);

const addLine = insertRows("spent_lines", ["hour", "watch", "endpoint", "requests"], (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .columns(["hour", "watch", "endpoint"])
      .doUpdateSet((eb) => ({ requests: eb("spent_lines.requests", "+", eb.ref("excluded.requests")) })),
  ),
);

/** Durable before it returns `granted`. */
export function reserve(db: Executor, reservation: Reservation): Promise<Grant> {
  return transact(db, async (on) => {
    const retryAtMs = await nextFreeSlot(on, reservation);
    if (retryAtMs !== undefined) return { kind: "rate", retryAtMs };
    const { line, billed } = reservation;
    if (billed && line !== undefined) {
      const spent = await countSince(on, line.sinceMs);
      if (spent >= line.max) return { kind: "quota", spent };
    }
    return { kind: "granted", ledgerId: String(await enter(on, reservation)) };
  });
}

/** Undefined when a slot is free now; else when the first one will be, at the latest. */
async function nextFreeSlot(on: Executor, reservation: Reservation): Promise<number | undefined> {
  const { atMs, rate, holdMs } = reservation;
  const { rows } = await slots(on, { heldSince: atMs - holdMs, answeredSince: atMs - rate.intervalMs });
  for (const row of rows) {
    if (row.slot_at <= atMs + SKEW_MS) continue;
    await pullBack(on, { id: row.id, now: atMs });
    row.slot_at = atMs;
  }
  if (rows.length < rate.count) return undefined;
  const freeAt = rows.map((row) => row.slot_at + (row.answered === 1 ? rate.intervalMs : holdMs)).sort((a, b) => a - b);
  return freeAt[rows.length - rate.count];
}

async function enter(on: Executor, reservation: Reservation): Promise<number> {
  const { endpoint, watch, atMs, billed } = reservation;
  const id = await nextNumbers(on, "ledger", 1);
  const row = { id, endpoint, watch, billed: billed ? 1 : 0, reserved_at: atMs, answered: 0, slot_at: atMs, status: null };
  await insertEntry(on, [row]);
  if (!billed) return id;
  await addHour(on, [{ hour: hourOf(atMs), requests: 1 }]);
  await addLine(on, [{ hour: hourOf(atMs), watch, endpoint, requests: 1 }]);
  return id;
}

const markAnswered = statement<{ id: number; at: number; status: number | null }>()((on, slot) =>
  on
    .updateTable("ledger")
    .set({ answered: 1, slot_at: slot("at"), status: slot("status") })
    .where("id", "=", slot("id")),
);

/** From here on the slot is free one interval later, whatever the answer was. */
export async function settle(db: Executor, ledgerId: string, atMs: number, status: number | null): Promise<void> {
  await markAnswered(db, { id: Number(ledgerId), at: atMs, status });
}

const sumHours = statement<{ hour: number }>()((on, slot) =>
  on
    .selectFrom("spent_hours")
    .select((eb) => eb.fn.sum<number | null>("requests").as("requests"))
    .where("hour", ">=", slot("hour")),
);

const countRows = statement<{ since: number; until: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select((eb) => eb.fn.countAll<number>().as("requests"))
    .where("reserved_at", ">=", slot("since"))
    .where("reserved_at", "<", slot("until"))
    .where("billed", "=", 1),
);

/** Whole hours from their sums, the broken first hour row by row. */
async function countSince(on: Executor, sinceMs: number): Promise<number> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const whole = await sumHours(on, { hour: wholeHour });
  const total = Number(whole.rows[0]?.requests ?? 0);
  if (wholeHour * HOUR_MS === sinceMs) return total;
  const part = await countRows(on, { since: sinceMs, until: wholeHour * HOUR_MS });
  return total + Number(part.rows[0]?.requests ?? 0);
}

/** Billed attempts since a time, by watch and endpoint, the largest first. */
export async function spentSince(
  db: Executor,
  sinceMs: number,
): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }> {
  const wholeHour = Math.ceil(sinceMs / HOUR_MS);
  const whole = await db
    .selectFrom("spent_lines")
    .select(["watch", "endpoint", (eb) => eb.fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", wholeHour)
    .groupBy(["watch", "endpoint"])
    .execute();
  const part = await db
    .selectFrom("ledger")
    .select(["watch", "endpoint", (eb) => eb.fn.countAll<number>().as("requests")])
    .where("reserved_at", ">=", sinceMs)
    .where("reserved_at", "<", wholeHour * HOUR_MS)
    .where("billed", "=", 1)
    .groupBy(["watch", "endpoint"])
    .execute();
  return addUp([...whole, ...part]);
}

function addUp(rows: readonly LedgerLine[]): { total: number; lines: LedgerLine[] } {
  const sums = new Map<string, LedgerLine>();
  for (const { watch, endpoint, requests } of rows) {
    const name = `${watch}\n${endpoint}`;
    sums.set(name, { watch, endpoint, requests: (sums.get(name)?.requests ?? 0) + Number(requests) });
  }
  const lines = [...sums.values()].sort((a, b) => b.requests - a.requests);
  return { total: lines.reduce((sum, line) => sum + line.requests, 0), lines };
}
