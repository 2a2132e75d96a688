/** The deliveries of one event with all that is kept about their way: group, throttle, silence, failed attempts. */
import type { DeliveryPath } from "../../model/history.ts";
import type { Executor } from "../db/statement.ts";
import { failedAttemptsOf } from "../outbox/failed-attempts.ts";
import { deliveriesOf } from "./delivery-history.ts";

export async function deliveryPathsOf(db: Executor, eventId: string, nowMs: number): Promise<readonly DeliveryPath[]> {
  const histories = (await deliveriesOf(db, [eventId], nowMs)).get(eventId) ?? [];
  const rows = await db
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .select(["d.sink", "d.group_key", "d.throttle_key", "d.silenced_by", "d.replayed_at", "j.event_id as joined_event_id"])
    .where("d.event_id", "=", eventId)
    .execute();
  const failures = await failedAttemptsOf(
    db,
    histories.flatMap(({ messageId }) => messageId ?? []),
  );
  return histories.map((history) => {
    const row = rows.find(({ sink }) => sink === history.sink);
    const isCrosspost = row === undefined;
    return {
      ...history,
      groupKey: row?.group_key ?? "",
      throttleKey: row?.throttle_key ?? null,
      silencedBy: row?.silenced_by ?? null,
      replayedAtMs: row?.replayed_at ?? null,
      joinedEventId: row?.joined_event_id ?? null,
      failures: isCrosspost ? [] : (failures.get(history.messageId ?? "") ?? []).map(({ atMs, error }) => ({ atMs, error })),
    };
  });
}
