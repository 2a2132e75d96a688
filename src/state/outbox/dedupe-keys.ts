/**
 * Decides whether a chat sink is alerted again about the same fact. A fact is alerted once within a
 * period, however many watches match it, and again after it was undone. If an account joins and
 * leaves a list all day, a few alerts are sent, and the further ones are summarised in one line for
 * the period.
 */
import { readDigestGroup } from "../../model/digest.ts";
import type { NewDelivery, Once } from "../../model/poll-store.ts";
import { DEAD } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { DELIVERED_ALREADY, NAMED_WITH_ANOTHER } from "./joined-dead.ts";
import type { HeldReplacement } from "./replace-held.ts";

type EarlierDelivery = Readonly<
  Pick<
    DeliveriesTable,
    "id" | "once_key" | "state" | "created_at" | "not_before" | "held_by" | "group_key"
  >
>;

/**
 * The maximum number of changes back and forth that are alerted one by one. Further ones in the
 * period are summarised in one line.
 */
const MAX_SINGLE_ALERTS = 3;

/**
 * Finds earlier deliveries that were sent or still wait. An alert in a message that was given up
 * reached nobody, so the next alert on the same fact counts as the first.
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
    // A message that is no longer stored was sent.
    .where((eb) => eb.or([eb("m.state", "is", null), eb("m.state", "!=", DEAD)]))
    .orderBy("d.id"),
);

export class DedupeKeys {
  /** The earlier deliveries by sink and key, oldest first. */
  readonly #known: Map<string, EarlierDelivery[]>;
  readonly #nowMs: number;
  readonly #replacements: HeldReplacement[] = [];

  private constructor(known: Map<string, EarlierDelivery[]>, nowMs: number) {
    this.#known = known;
    this.#nowMs = nowMs;
  }

  /**
   * Reads the earlier deliveries of the same facts to the same sinks, and of the facts that they
   * undo.
   */
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

  /**
   * The earlier deliveries that must join an admitted one, because a mute or a scheduled digest
   * holds them back for longer.
   */
  get replacements(): readonly HeldReplacement[] {
    return this.#replacements;
  }

  /**
   * Returns the delivery as it is sent, on its own or in a summary; undefined if its row was marked
   * as merged into a waiting one or as a duplicate.
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
        row.detail = `${last.state === "waiting" ? NAMED_WITH_ANOTHER : DELIVERED_ALREADY}${by}`;
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

/**
 * Whether the earlier delivery waits for the end of a mute that does not hold this row for as long.
 */
const isHeldLonger = (
  { state, held_by: by, not_before: untilMs }: EarlierDelivery,
  row: DeliveriesTable,
): boolean => state === "waiting" && by !== null && untilMs > row.not_before;

/** Whether the earlier delivery waits for a scheduled digest and this row does not. */
const isGatheredLonger = (
  { state, group_key: groupKey }: EarlierDelivery,
  row: DeliveriesTable,
): boolean => state === "waiting" && isScheduled(groupKey) && !isScheduled(row.group_key);

const isScheduled = (groupKey: string): boolean => readDigestGroup(groupKey)?.cause === "schedule";

/**
 * Whether only the last of the earlier deliveries is held for longer. If an alert before it is
 * held, too, all of them keep their order.
 */
const isHeldAlone = (earlierRows: readonly EarlierDelivery[], row: DeliveriesTable): boolean =>
  earlierRows.find(
    (earlierRow) => isHeldLonger(earlierRow, row) || isGatheredLonger(earlierRow, row),
  ) === earlierRows.at(-1);

/**
 * Makes a row wait, on its own, as long as a held delivery whose fact it undoes. Otherwise the
 * channel would see the end of something before its beginning. The row leaves its group, because
 * the group need not wait.
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
