/**
 * Who was told what already: chat sinks tell one fact once within a time, however many watches match it, and again once it was undone.
 * An account that comes and goes all day is told a few times, then once in that time.
 */
import type { NewDelivery, Once } from "../../model/poll-store.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/tables.ts";

interface Telling {
  readonly id: number;
  readonly once_key: string | null;
  readonly state: DeliveriesTable["state"];
  readonly created_at: number;
}

/** Changes there and back that are told one by one; the rest of the day is one line. */
const CHANGES_TOLD = 3;

const earlier = listStatement<{ sink: string }, string>()((on, list, slot) =>
  on
    .selectFrom("deliveries")
    .select(["id", "once_key", "state", "created_at"])
    .where("sink", "=", slot("sink"))
    .where("once_key", "in", list)
    .where("once_key", "is not", null)
    .where("state", "in", ["waiting", "sealed", "summarised"])
    .orderBy("id"),
);

export class DedupeKeys {
  /** Of each sink and key, oldest first. */
  readonly #known: Map<string, Telling[]>;
  readonly #nowMs: number;

  private constructor(known: Map<string, Telling[]>, nowMs: number) {
    this.#known = known;
    this.#nowMs = nowMs;
  }

  /** Reads what the deliveries' sinks were told of the same facts, and of what undoes them. */
  static async load(on: Executor, deliveries: readonly NewDelivery[], nowMs: number): Promise<DedupeKeys> {
    const keys = new Map<string, Set<string>>();
    for (const { sink, once } of deliveries) {
      const wanted = keys.get(sink) ?? new Set();
      for (const key of once === undefined ? [] : keysOf(once)) wanted.add(key);
      keys.set(sink, wanted);
    }
    const known = new Map<string, Telling[]>();
    for (const [sink, wanted] of keys) {
      const { rows } = wanted.size === 0 ? { rows: [] } : await earlier(on, [...wanted], { sink });
      for (const row of rows) remember(known, sink, row);
    }
    return new DedupeKeys(known, nowMs);
  }

  /** The delivery as it goes out, by itself or in a summary; undefined when its row was marked as merged into a waiting one, or as a duplicate. */
  admit(row: DeliveriesTable, delivery: NewDelivery): NewDelivery | undefined {
    const { sink, once } = delivery;
    if (once === undefined) return delivery;
    const since = this.#nowMs - once.withinMs;
    const told = keysOf(once)
      .flatMap((key) => this.#known.get(nameOf(sink, key)) ?? [])
      .filter(({ created_at: atMs }) => atMs >= since)
      .sort((a, b) => a.id - b.id);
    const last = told.at(-1);
    if (last?.once_key === once.key) {
      row.state = last.state === "waiting" ? "merged" : "duplicate";
      row.detail = last.state === "waiting" ? "told together with another watch" : "told already";
      row.joined_id = last.id;
      return undefined;
    }
    remember(this.#known, sink, { id: row.id, once_key: once.key, state: "waiting", created_at: row.created_at });
    const [first] = told;
    if (once.undo === undefined || first === undefined || told.length < CHANGES_TOLD) return delivery;
    row.group_key = once.undo.summaryGroup;
    row.grouped = 1;
    row.detail = `told in one line a day, as it came and went ${CHANGES_TOLD} times`;
    const groupWaitMs = first.created_at + once.withinMs - this.#nowMs;
    return { ...delivery, groupKey: once.undo.summaryGroup, groupWaitMs, groupIntervalMs: once.withinMs };
  }
}

const keysOf = ({ key, undo }: Once): readonly string[] => (undo === undefined ? [key] : [key, undo.key]);

const nameOf = (sink: string, key: string): string => `${sink}\n${key}`;

function remember(known: Map<string, Telling[]>, sink: string, telling: Telling): void {
  const name = nameOf(sink, telling.once_key ?? "");
  known.set(name, [...(known.get(name) ?? []), telling]);
}
