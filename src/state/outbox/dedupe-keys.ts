/**
 * Which sink was notified of what: a chat sink alerts once within a time on one fact, however many
 * watches match it, and again once it was undone. An account that comes and goes all day raises a
 * few alerts, then one in that time.
 */
import { readDigestGroup } from "../../model/digest.ts";
import type { NewDelivery, Once } from "../../model/poll-store.ts";
import { DEAD } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { DELIVERED_ALREADY } from "./joined-dead.ts";
import type { HeldReplacement } from "./replace-held.ts";

type EarlierDelivery = Readonly<
  Pick<
    DeliveriesTable,
    "id" | "once_key" | "state" | "created_at" | "not_before" | "held_by" | "group_key"
  >
>;

/** Changes there and back that get an alert each; the rest of the day is one line. */
const MAX_SINGLE_ALERTS = 3;

/**
 * What was sent or still waits. An alert in a message that was given up reached nobody, so the next
 * one like it is the first.
 */
const earlier = listStatement<{ sink: string }, string>()((on, list, slot) =>
  on
    .selectFrom("deliveries as d")
    .leftJoin("messages as m", "m.id", "d.message_id")
    .select([
      "d.id",
      "d.once_key",
      "d.state",
      "d.created_at",
      "d.not_before",
      "d.held_by",
      "d.group_key",
    ])
    .where("d.sink", "=", slot("sink"))
    .where("d.once_key", "in", list)
    .where("d.once_key", "is not", null)
    .where("d.state", "in", ["waiting", "sealed", "summarised"])
    // A message that is forgotten by now was sent.
    .where((eb) => eb.or([eb("m.state", "is", null), eb("m.state", "!=", DEAD)]))
    .orderBy("d.id"),
);

export class DedupeKeys {
  /** Of each sink and key, oldest first. */
  readonly #known: Map<string, EarlierDelivery[]>;
  readonly #nowMs: number;
  readonly #replacements: HeldReplacement[] = [];

  private constructor(known: Map<string, EarlierDelivery[]>, nowMs: number) {
    this.#known = known;
    this.#nowMs = nowMs;
  }

  /** Reads the earlier deliveries of the same facts to the same sinks, and of what undoes them. */
  static async load(
    on: Executor,
    deliveries: readonly NewDelivery[],
    nowMs: number,
  ): Promise<DedupeKeys> {
    const keys = new Map<string, Set<string>>();
    for (const { sink, once } of deliveries) {
      if (once === undefined) continue;
      const wanted = keys.get(sink) ?? new Set();
      for (const key of keysOf(once)) wanted.add(key);
      keys.set(sink, wanted);
    }
    const known = new Map<string, EarlierDelivery[]>();
    for (const [sink, wanted] of keys) {
      const { rows } = await earlier(on, [...wanted], { sink });
      for (const row of rows) remember(known, sink, row);
    }
    return new DedupeKeys(known, nowMs);
  }

  /** Earlier deliveries that must join an admitted one, because a mute holds them for longer. */
  get replacements(): readonly HeldReplacement[] {
    return this.#replacements;
  }

  /**
   * The delivery as it goes out, by itself or in a summary; undefined when its row was marked as
   * merged into a waiting one, or as a duplicate.
   */
  admit(row: DeliveriesTable, delivery: NewDelivery): NewDelivery | undefined {
    const { sink, once } = delivery;
    if (once === undefined) return delivery;
    const since = this.#nowMs - once.withinMs;
    const earlierRows = keysOf(once)
      .flatMap((key) => this.#known.get(nameOf(sink, key)) ?? [])
      .filter(({ created_at: atMs }) => atMs >= since)
      .sort((a, b) => a.id - b.id);
    const last = earlierRows.at(-1);
    if (last?.once_key === once.key) {
      if (!isHeldAlone(earlierRows, row)) {
        row.state = last.state === "waiting" ? "merged" : "duplicate";
        const by = once.by === undefined ? "" : `, with the same ${once.by}`;
        row.detail = `${last.state === "waiting" ? "delivered together with another watch" : DELIVERED_ALREADY}${by}`;
        row.joined_id = last.id;
        return undefined;
      }
      this.#replacements.push({ heldId: last.id, byId: row.id });
      earlierRows.pop();
      this.#known.get(nameOf(sink, once.key))?.pop();
    }
    waitBehind(earlierRows.at(-1), row);
    const placed = { ...delivery, notBeforeMs: row.not_before };
    remember(this.#known, sink, { ...row, once_key: once.key });
    const [first] = earlierRows;
    const summaryGroup = once.undo?.summaryGroup;
    if (summaryGroup === undefined || first === undefined || earlierRows.length < MAX_SINGLE_ALERTS)
      return placed;
    row.group_key = summaryGroup;
    row.grouped = 1;
    row.detail = `delivered in one line a day, as it came and went ${MAX_SINGLE_ALERTS} times`;
    const groupWaitMs = first.created_at + once.withinMs - this.#nowMs;
    return { ...placed, groupKey: summaryGroup, groupWaitMs, groupIntervalMs: once.withinMs };
  }
}

const keysOf = ({ key, undo }: Once): readonly string[] =>
  undo === undefined ? [key] : [key, undo.key];

const nameOf = (sink: string, key: string): string => `${sink}\n${key}`;

/** Whether it waits for the end of a mute that does not hold this row so long. */
const isHeldLonger = (
  { state, held_by: by, not_before: untilMs }: EarlierDelivery,
  row: DeliveriesTable,
): boolean => state === "waiting" && by !== null && untilMs > row.not_before;

/** Whether it waits for a digest with a schedule, and this row does not. */
const isGatheredLonger = (
  { state, group_key: groupKey }: EarlierDelivery,
  row: DeliveriesTable,
): boolean => state === "waiting" && isScheduled(groupKey) && !isScheduled(row.group_key);

const isScheduled = (groupKey: string): boolean => readDigestGroup(groupKey)?.cause === "schedule";

/**
 * Whether only the last of them is held longer. Where a mute also holds what the last one undoes,
 * all of them keep their order.
 */
const isHeldAlone = (earlierRows: readonly EarlierDelivery[], row: DeliveriesTable): boolean =>
  earlierRows.find(
    (earlierRow) => isHeldLonger(earlierRow, row) || isGatheredLonger(earlierRow, row),
  ) === earlierRows.at(-1);

/**
 * What undoes a fact that a mute still holds waits as long, by itself: its own group need not wait.
 * Else the channel would first hear of the end of what it hears of later.
 */
function waitBehind(last: EarlierDelivery | undefined, row: DeliveriesTable): void {
  if (last === undefined || !isHeldLonger(last, row)) return;
  row.not_before = last.not_before;
  row.held_by = last.held_by;
  row.due_at = last.not_before;
  row.group_key = row.event_id;
  row.grouped = 0;
  row.detail = "held as long as what it undoes";
}

function remember(known: Map<string, EarlierDelivery[]>, sink: string, row: EarlierDelivery): void {
  const name = nameOf(sink, row.once_key ?? "");
  known.set(name, [...(known.get(name) ?? []), row]);
}
