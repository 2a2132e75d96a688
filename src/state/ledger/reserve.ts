/**
 * Enters every request in the ledger before it is sent. If several processes share a state, this
 * transaction decides which of them gets a slot of the rate limit.
 */
import type { Grant, LedgerKey, Reservation } from "../../model/ledger.ts";
import { LEDGER } from "../db/scopes.ts";
import { nextNumbers } from "../db/sequence.ts";
import { HOUR_MS, spentByKey } from "./spent.ts";
import type { Settlements } from "./settlements.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";

/**
 * How far in the future the time of a slot may be. A small difference is normal, because calls wait
 * in a queue, and each has the time at which it was made. A slot that is further in the future was
 * reserved before the clock was set back. Its time is replaced by the present time, because it
 * would otherwise stay occupied until the clock reached that time again.
 */
const SKEW_MS = 1_000;
const hourOf = (epochMs: number): number => Math.floor(epochMs / HOUR_MS);

const slots = statement<{ heldSince: number; answeredSince: number }>()((on, slot) =>
  on
    .selectFrom("ledger")
    .select(["id", "answered", "slot_at", "key"])
    .where("answered", "=", 0)
    .where("slot_at", ">", slot("heldSince"))
    .unionAll(
      on
        .selectFrom("ledger")
        .select(["id", "answered", "slot_at", "key"])
        .where("answered", "=", 1)
        .where("slot_at", ">", slot("answeredSince")),
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
  [
    "id",
    "endpoint",
    "watch",
    "billed",
    "reserved_at",
    "answered",
    "slot_at",
    "status",
    "key",
    "further",
  ],
  (insert) => insert,
);

const addHour = insertRows("spent_hours", ["hour", "key", "requests"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(["hour", "key"]).doUpdateSet((eb) => ({
      requests: eb("spent_hours.requests", "+", eb.ref("excluded.requests")),
    })),
  ),
);

const addLine = insertRows(
  "spent_lines",
  ["hour", "watch", "endpoint", "key", "requests"],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(["hour", "watch", "endpoint", "key"]).doUpdateSet((eb) => ({
        requests: eb("spent_lines.requests", "+", eb.ref("excluded.requests")),
      })),
    ),
);

/** The keys of a reservation that names no key. */
const NAMELESS: readonly [LedgerKey] = [{ key: "" }];

/**
 * Reserves a request if the quota and the rate limit allow it. When the promise resolves with a
 * grant, the reservation is on the disk. The same transaction also writes the ends of requests that
 * wait to be written.
 */
export function reserve(settlements: Settlements, reservation: Reservation): Promise<Grant> {
  return settlements.transact(
    async (on) => {
      const { limit, billed } = reservation;
      const eligible = await payableKeys(on, reservation);
      if (eligible.payable.length === 0) return { kind: "quota", spent: eligible.spent };
      const free = await freeSlots(on, reservation, eligible.payable);
      if ("retryAtMs" in free) return { kind: "rate", retryAtMs: free.retryAtMs };
      if (billed && limit !== undefined) {
        const spent = sum(await spentByKey(on, limit.sinceMs));
        if (spent >= limit.max) return { kind: "quota", spent };
      }
      return {
        kind: "granted",
        ledgerId: String(await enter(on, reservation, free.key)),
        key: free.key,
      };
    },
    [LEDGER],
  );
}

const sum = (spent: ReadonlyMap<string, number>): number =>
  [...spent.values()].reduce((total, requests) => total + requests, 0);

/**
 * Returns the keys that may pay, in the order in which they are tried: first the keys with a limit,
 * the one with most left first, then the keys without a limit, the least used first.
 */
async function payableKeys(
  on: Executor,
  { keys = NAMELESS, billed }: Reservation,
): Promise<{ readonly payable: readonly string[]; readonly spent: number }> {
  if (!billed || keys.length === 1) {
    const [{ key, limit }] = keys;
    const spent =
      !billed || limit === undefined ? 0 : ((await spentByKey(on, limit.sinceMs)).get(key) ?? 0);
    return {
      payable:
        limit === undefined || !billed || spent < limit.max ? keys.map((one) => one.key) : [],
      spent,
    };
  }
  const sinceMs = keys.find(({ limit }) => limit !== undefined)?.limit?.sinceMs ?? 0;
  const spent = await spentByKey(on, sinceMs);
  const left = new Map(
    keys.map(({ key, limit }) => [key, (limit?.max ?? 0) - (spent.get(key) ?? 0)]),
  );
  const leftOf = (key: string): number => left.get(key) ?? 0;
  const known = keys
    .filter(({ key, limit }) => limit !== undefined && leftOf(key) > 0)
    .map(({ key }) => key);
  const unknown = keys.filter(({ limit }) => limit === undefined).map(({ key }) => key);
  const byLeft = (a: string, b: string) => leftOf(b) - leftOf(a);
  return { payable: [...known.sort(byLeft), ...unknown.sort(byLeft)], spent: sum(spent) };
}

/**
 * Returns the first key with a free slot. If there is none, returns the earliest time at which one
 * of the keys will have a free slot.
 */
async function freeSlots(
  on: Executor,
  { atMs, rate, holdMs }: Reservation,
  keys: readonly string[],
): Promise<{ readonly key: string } | { readonly retryAtMs: number }> {
  const { rows } = await slots(on, {
    heldSince: atMs - holdMs,
    answeredSince: atMs - rate.intervalMs,
  });
  // Rows are updated in the order of ids, as answers are, so that no deadlock can arise.
  for (const row of [...rows].sort((a, b) => a.id - b.id)) {
    if (row.slot_at <= atMs + SKEW_MS) continue;
    await pullBack(on, { id: row.id, now: atMs });
    row.slot_at = atMs;
  }
  let retryAtMs = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    // Entries from before keys had names may belong to any key.
    const taken = rows.filter((row) => row.key === key || row.key === "");
    if (taken.length < rate.count) return { key };
    const freeAt = taken
      .map((row) => row.slot_at + (row.answered === 1 ? rate.intervalMs : holdMs))
      .sort((a, b) => a - b);
    retryAtMs = Math.min(retryAtMs, freeAt[taken.length - rate.count] ?? atMs);
  }
  return { retryAtMs };
}

async function enter(on: Executor, reservation: Reservation, key: string): Promise<number> {
  const { endpoint, watch, atMs, billed, isFurtherPage } = reservation;
  const id = (await nextNumbers(on, "ledger", 1))(0);
  const [of, marks] = [
    { id, endpoint, watch, key },
    { billed: billed ? 1 : 0, further: isFurtherPage === true ? 1 : 0 },
  ];
  await insertEntry(on, [
    { ...of, ...marks, reserved_at: atMs, answered: 0, slot_at: atMs, status: null },
  ]);
  if (!billed) return id;
  await addHour(on, [{ hour: hourOf(atMs), key, requests: 1 }]);
  await addLine(on, [{ hour: hourOf(atMs), watch, endpoint, key, requests: 1 }]);
  return id;
}
