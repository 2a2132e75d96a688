/** Finds the messages under which the digests of snoozes are posted. */
import { readDigestGroup } from "../../model/digest.ts";
import type { SentMessage } from "../../model/outbox.ts";
import { type Executor, statement } from "../db/statement.ts";
import { followedAlerts } from "./followed-alerts.ts";

const alertOf = statement<{ silenceId: number; sink: string }>()((on, slot) =>
  on
    .selectFrom("silences as s")
    .innerJoin("deliveries as d", "d.event_id", "s.event_id")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.id", "e.subject"])
    .where("s.id", "=", slot("silenceId"))
    .where("d.sink", "=", slot("sink")),
);

/**
 * Returns the message of the alert on which a person snoozed, if the group is the digest of that
 * snooze and the sink can find the message again.
 */
export async function snoozedOn(
  db: Executor,
  sink: string,
  groupKey: string,
): Promise<SentMessage | undefined> {
  const digest = readDigestGroup(groupKey);
  const silenceId = Number(digest?.name.split("\n")[0]);
  if (digest?.cause !== "snooze" || !Number.isSafeInteger(silenceId)) return undefined;
  const alert = (await alertOf(db, { silenceId, sink })).rows[0];
  if (alert === undefined) return undefined;
  const followUp = { id: 0, followsId: Number(alert.id), subject: alert.subject };
  return (await followedAlerts(db, [followUp])).get(0)?.message;
}
