/**
 * Lets operators send dead letters again or accept their loss, and stores when operators were
 * notified of them.
 */
import type { ExpressionBuilder } from "kysely";
import type { DeadSelection } from "../../model/dead-letters.ts";
import { recordAudit } from "../db/audit.ts";
import { countAlerts, deadMessages } from "./dead-letters.ts";
import { mentioning } from "../messages/mentions.ts";
import { refreshGroupsOf } from "./group-timers.ts";
import { takenOfMessage } from "./taken.ts";
import { DEAD, SENT } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";
import { type Executor, listStatement, transact } from "../db/statement.ts";

const reopen = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      state: "open",
      sealed_at: slot("now"),
      next_attempt_at: slot("now"),
      attempts: 0,
      first_attempt_at: null,
      done_at: null,
      reported_at: null,
      cause: "",
      error: "",
      held_by: null,
      parent_id: eb
        .case()
        .when(eb.exists(parentToGoBelow(eb)))
        .then(eb.ref("parent_id"))
        .else(null)
        .end(),
    }))
    .where("id", "in", list)
    .where("state", "=", DEAD),
);

/**
 * Selects the parent of a message, unless it is an unsent message of another group. A message sent
 * again must not wait for a different group's message.
 */
const parentToGoBelow = (eb: ExpressionBuilder<Tables, "messages">) =>
  eb
    .selectFrom("messages as parent")
    .select("parent.id")
    .whereRef("parent.id", "=", "messages.parent_id")
    .where((p) =>
      p.or([p("parent.state", "=", SENT), p("parent.group_key", "=", p.ref("messages.group_key"))]),
    );

const unseal = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      state: "waiting",
      taken: takenOfMessage(eb),
      message_id: null,
      due_at: slot("now"),
      replayed_at: slot("now"),
    }))
    .where("message_id", "in", list)
    .where("message_id", "is not", null)
    .returning(["sink", "group_key", "grouped"]),
);

const acknowledge = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set({ acknowledged_at: slot("now") })
    .where("id", "in", list),
);

export function resendDead(
  db: Executor,
  selection: DeadSelection,
  nowMs: number,
  by: string,
): Promise<{ readonly messages: number; readonly alerts: number }> {
  return transact(db, async (on) => {
    const rows = await deadMessages(on, selection).select(["m.id", "m.cause", "m.body"]).execute();
    const ids = rows.map(({ id }) => id);
    const alerts = await countAlerts(on, ids);
    const calling = await mentioning(on, ids);
    // A message that expired while its sink's breaker was open may never have been rendered. A
    // message with mentions is rendered again, so that it does not mention the same people a second
    // time.
    const isSendable = ({ id, cause, body }: (typeof rows)[number]) =>
      cause === "expired" && body !== "null" && !calling.has(id);
    await reopen(
      on,
      rows.filter(isSendable).map(({ id }) => id),
      { now: nowMs },
    );
    await renderAnew(
      on,
      rows.filter((row) => !isSendable(row)).map(({ id }) => id),
      nowMs,
    );
    if (ids.length > 0)
      await recordAudit(on, nowMs, "replay dead", {
        sinks: selection.sinks ?? null,
        messages: ids.length,
        alerts,
        by,
      });
    return { messages: ids.length, alerts };
  });
}

/**
 * Lets the alerts of dead messages be rendered again in new messages. The old messages remain as
 * acknowledged records without deliveries.
 */
async function renderAnew(on: Executor, ids: readonly string[], nowMs: number): Promise<void> {
  const { rows } = await unseal(on, ids, { now: nowMs });
  await acknowledge(on, ids, { now: nowMs });
  await refreshGroupsOf(on, rows);
}

export function acknowledgeDead(
  db: Executor,
  selection: DeadSelection,
  nowMs: number,
  by?: string,
): Promise<number> {
  return transact(db, async (on) => {
    const ids = (await deadMessages(on, selection).select("m.id").execute()).map(({ id }) => id);
    await acknowledge(on, ids, { now: nowMs });
    if (ids.length > 0)
      await recordAudit(on, nowMs, "dead ack", {
        sinks: selection.sinks ?? null,
        messages: ids.length,
        ...(by === undefined ? {} : { by }),
      });
    return ids.length;
  });
}

const markReported = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set({ reported_at: slot("now") })
    .where("id", "in", list),
);

export async function markDeadReported(
  db: Executor,
  messageIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await markReported(db, messageIds, { now: nowMs });
}
