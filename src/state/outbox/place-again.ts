/**
 * Reads deliveries that wait for a time, and moves them to the groups and times that a new
 * configuration gives them.
 */
import type { PlacedAgain, WaitingDelivery, WaitingPage } from "../../model/waits.ts";
import { eventOf } from "../items/insert-events.ts";
import { fromText } from "../db/json-text.ts";
import { GROUPED, WAITING } from "../db/literals.ts";
import { scopeOfSink } from "../db/scopes.ts";
import { type Executor, statement, statementForEach, transact } from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const waiting = statement<{ sink: string; now: number; afterId: number; limit: number }>()(
  (on, slot) =>
    on
      .selectFrom("deliveries as d")
      .innerJoin("events as e", "e.id", "d.event_id")
      .leftJoin("groups as g", (join) =>
        join.onRef("g.sink", "=", "d.sink").onRef("g.group_key", "=", "d.group_key"),
      )
      .select([
        "d.id as delivery_id",
        "d.sink",
        "d.group_key",
        "d.original_group_key",
        "d.throttle_key",
        "d.routed",
      ])
      .select(["d.created_at", "d.due_at", "d.not_before", "d.held_by", "g.interval_ms"])
      .selectAll("e")
      .where("d.state", "=", WAITING)
      .where("d.sink", "=", slot("sink"))
      .where("d.due_at", ">", slot("now"))
      .where("d.replayed_at", "is", null)
      .where("d.id", ">", slot("afterId"))
      .orderBy("d.id")
      .limit(slot("limit")),
);

export async function waitingDeliveries(
  db: Executor,
  { sink, nowMs, afterId, limit }: WaitingPage & { readonly limit: number },
): Promise<readonly WaitingDelivery[]> {
  const { rows } = await waiting(db, { sink, now: nowMs, afterId, limit });
  return rows.map((row) => ({
    deliveryId: String(row.delivery_id),
    event: eventOf(row),
    ...(row.routed === null ? {} : { routed: fromText(row.routed) }),
    sink: row.sink,
    groupKey: row.group_key,
    originalGroupKey: row.original_group_key,
    groupIntervalMs: row.interval_ms,
    throttleKey: row.throttle_key,
    createdAtMs: Number(row.created_at),
    dueAtMs: Number(row.due_at),
    notBeforeMs: Number(row.not_before),
    heldBy: row.held_by,
  }));
}

interface Place {
  readonly id: number;
  readonly groupKey: string;
  readonly grouped: number;
  readonly originalGroupKey: string | null;
  readonly throttleKey: string | null;
  readonly notBefore: number;
  readonly heldBy: string | null;
  readonly dueAt: number;
}

const move = statementForEach<Place>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({
      group_key: slot("groupKey"),
      grouped: slot("grouped"),
      original_group_key: slot("originalGroupKey"),
      throttle_key: slot("throttleKey"),
      not_before: slot("notBefore"),
      held_by: slot("heldBy"),
      due_at: slot("dueAt"),
    })
    .where("id", "=", slot("id"))
    .where("state", "=", WAITING),
);

const setInterval = statementForEach<{ sink: string; groupKey: string; intervalMs: number }>()(
  (on, slot) =>
    on
      .updateTable("groups")
      .set({ interval_ms: slot("intervalMs") })
      .where("sink", "=", slot("sink"))
      .where("group_key", "=", slot("groupKey")),
);

/** Moves deliveries to their new groups and times. Rows that stay the same are not written. */
export function placeAgain(
  db: Executor,
  page: WaitingPage,
  placed: readonly PlacedAgain[],
): Promise<void> {
  const { sink } = page;
  const work = async (on: Executor) => {
    const timers = new TimersAgain(on, page);
    const moved: { readonly one: PlacedAgain; readonly place: Place }[] = [];
    for (const one of placed) {
      const place = placeOf(one, await timers.dueAt(one));
      if (!isSame(place, one.waiting)) moved.push({ one, place });
    }
    if (moved.length === 0) return;
    await move(
      on,
      moved.map(({ place }) => place),
    );
    const left = moved.map(({ one: { waiting: was } }) => ({
      sink,
      group_key: was.groupKey,
      grouped: Number(was.groupKey !== was.event.id),
    }));
    await refreshGroupsOf(on, [
      ...left,
      ...moved.map(({ place }) => ({ sink, group_key: place.groupKey, grouped: place.grouped })),
    ]);
    await setInterval(
      on,
      moved.map(({ one: { delivery } }) => ({
        sink,
        groupKey: delivery.groupKey,
        intervalMs: delivery.groupIntervalMs,
      })),
    );
  };
  return transact(db, work, [scopeOfSink(sink)]);
}

const placeOf = (
  { waiting: { deliveryId, event }, delivery }: PlacedAgain,
  dueAt: number,
): Place => ({
  id: Number(deliveryId),
  groupKey: delivery.groupKey,
  grouped: Number(delivery.groupKey !== event.id),
  originalGroupKey: delivery.originalGroupKey,
  throttleKey: delivery.throttleKey ?? null,
  notBefore: delivery.notBeforeMs,
  heldBy: delivery.heldBy ?? null,
  dueAt,
});

const isSame = (place: Place, was: WaitingDelivery): boolean =>
  place.groupKey === was.groupKey &&
  place.originalGroupKey === was.originalGroupKey &&
  place.throttleKey === was.throttleKey &&
  place.heldBy === was.heldBy &&
  place.dueAt === was.dueAtMs;

const groupBefore = statement<{ sink: string; groupKey: string; now: number; afterId: number }>()(
  (on, slot) =>
    on.selectNoFrom((eb) => [
      eb
        .selectFrom("deliveries")
        .select((d) => d.fn.min<number | null>("due_at").as("due_at"))
        .where("state", "=", WAITING)
        .where("grouped", "=", GROUPED)
        .where("sink", "=", slot("sink"))
        .where("group_key", "=", slot("groupKey"))
        .where((d) => d.or([d("id", "<=", slot("afterId")), d("due_at", "<=", slot("now"))]))
        .as("due_at"),
      eb
        .selectFrom("groups")
        .select("last_sealed_at")
        .where("sink", "=", slot("sink"))
        .where("group_key", "=", slot("groupKey"))
        .as("last_sealed_at"),
    ]),
);

/**
 * Computes when groups are due under the new configuration, as if the waiting deliveries were new,
 * the oldest first.
 */
class TimersAgain {
  readonly #on: Executor;
  readonly #page: WaitingPage;
  readonly #groups = new Map<string, { dueAt: number | null; readonly sealedAt: number | null }>();

  constructor(on: Executor, page: WaitingPage) {
    this.#on = on;
    this.#page = page;
  }

  async dueAt({ waiting: { event }, delivery }: PlacedAgain): Promise<number> {
    const { groupKey, groupWaitMs, groupIntervalMs, digestAtMs, notBeforeMs } = delivery;
    const { nowMs } = this.#page;
    if (digestAtMs !== undefined) return Math.max(digestAtMs, notBeforeMs);
    if (groupKey === event.id) return Math.max(nowMs, notBeforeMs);
    const group = await this.#load(groupKey);
    const interval = group.sealedAt === null ? 0 : group.sealedAt + groupIntervalMs;
    group.dueAt ??= Math.max(nowMs + groupWaitMs, interval, notBeforeMs);
    return Math.max(group.dueAt, notBeforeMs);
  }

  async #load(groupKey: string) {
    const known = this.#groups.get(groupKey);
    if (known !== undefined) return known;
    const { sink, nowMs: now, afterId } = this.#page;
    const row = (await groupBefore(this.#on, { sink, groupKey, now, afterId })).rows[0];
    const asNumber = (value: number | null | undefined) =>
      value === null || value === undefined ? null : Number(value);
    const group = { dueAt: asNumber(row?.due_at), sealedAt: asNumber(row?.last_sealed_at) };
    this.#groups.set(groupKey, group);
    return group;
  }
}
