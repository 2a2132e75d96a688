/** Who was told what already: chat sinks tell one subject once within a time, however many watches match it. */
import type { NewDelivery } from "../model/poll-store.ts";
import { type Executor, listStatement } from "./statement.ts";
import type { DeliveriesTable } from "./tables.ts";

interface Telling {
  readonly id: number;
  readonly state: DeliveriesTable["state"];
  readonly created_at: number;
}

const earlier = listStatement<{ sink: string }, string>()((on, list, slot) =>
  on
    .selectFrom("deliveries")
    .select(["id", "once_key", "state", "created_at"])
    .where("sink", "=", slot("sink"))
    .where("once_key", "in", list)
    .where("once_key", "is not", null)
    .where("state", "in", ["waiting", "sealed"])
    .orderBy("id"),
);

export class Tellings {
  readonly #known: Map<string, Telling>;
  readonly #nowMs: number;

  private constructor(known: Map<string, Telling>, nowMs: number) {
    this.#known = known;
    this.#nowMs = nowMs;
  }

  /** Reads what the deliveries' sinks were told under the same keys. */
  static async load(on: Executor, deliveries: readonly NewDelivery[], nowMs: number): Promise<Tellings> {
    const keys = new Map<string, Set<string>>();
    for (const { sink, onceKey } of deliveries) {
      if (onceKey !== undefined) keys.set(sink, (keys.get(sink) ?? new Set()).add(onceKey));
    }
    const known = new Map<string, Telling>();
    for (const [sink, wanted] of keys) {
      const { rows } = await earlier(on, [...wanted], { sink });
      for (const row of rows) known.set(`${sink}\n${row.once_key}`, row);
    }
    return new Tellings(known, nowMs);
  }

  /** True when the row goes out by itself; else it is marked as merged into the waiting one, or as a duplicate of the one sealed. */
  admit(row: DeliveriesTable, delivery: NewDelivery): boolean {
    if (delivery.onceKey === undefined) return true;
    const name = `${delivery.sink}\n${delivery.onceKey}`;
    const told = this.#known.get(name);
    if (told === undefined || told.created_at < this.#nowMs - (delivery.onceWithinMs ?? 0)) {
      this.#known.set(name, { id: row.id, state: "waiting", created_at: row.created_at });
      return true;
    }
    row.state = told.state === "waiting" ? "merged" : "duplicate";
    row.detail = told.state === "waiting" ? "told together with another watch" : "told already";
    row.joined_id = told.id;
    return false;
  }
}
