/**
 * Stores the edits of sent messages: which edits are required, which is due, and the outcome of
 * each.
 */
import type {
  DueEdit,
  EditableAlert,
  EditResult,
  ShownTweet,
  WantedEdit,
} from "../../model/edit.ts";
import type { Tweet } from "../../model/tweet.ts";
import { fromText, toText } from "../db/json-text.ts";
import { REFUSED, SENT, WAITING } from "../db/literals.ts";
import { type Executor, insertRows, listStatement, statement } from "../db/statement.ts";
import type { EditsTable } from "../db/sent-tables.ts";
import { readGroups } from "../outbox/read-groups.ts";

/**
 * Finds the alerts on tweets that are alone in their message, or not in a message yet. The search
 * goes from an item to its event, and from the event to its deliveries.
 */
const alertsOn = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("items as i")
    .innerJoin("events as e", "e.id", "i.event_id")
    .innerJoin("deliveries as d", "d.event_id", "e.id")
    .leftJoin("edits as x", "x.delivery_id", "d.id")
    .select(["d.id", "d.sink", "e.body", "x.shown", "x.versions", "x.wanted_at", "x.due_at"])
    .where("i.item_id", "in", list)
    .where("i.item_kind", "=", "tweet")
    .where("d.state", "in", ["waiting", "sealed"])
    .where((eb) => eb.or([eb("x.state", "is", null), eb("x.state", "!=", REFUSED)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("deliveries as o")
            .select("o.id")
            .whereRef("o.message_id", "=", "d.message_id")
            .whereRef("o.id", "!=", "d.id"),
        ),
      ),
    ),
);

export async function editableAlerts(
  db: Executor,
  tweetIds: readonly string[],
  sinks: ReadonlySet<string>,
): Promise<readonly EditableAlert[]> {
  const { rows } = await alertsOn(db, tweetIds, {});
  const own = new Map(rows.filter(({ sink }) => sinks.has(sink)).map((row) => [row.id, row]));
  return [...own.values()].flatMap((row) => {
    const { tweet } = fromText<{ readonly tweet?: Tweet }>(row.body);
    if (tweet === undefined) return [];
    return [
      {
        deliveryId: String(row.id),
        sink: row.sink,
        shown:
          row.shown === null
            ? { tweet, isGone: false, isEdited: false }
            : fromText<ShownTweet>(row.shown),
        versions: row.versions === null || row.versions === "" ? [] : row.versions.split(" "),
        wantedAtMs: row.wanted_at === null ? null : Number(row.wanted_at),
        dueAtMs: row.due_at === null ? null : Number(row.due_at),
      },
    ];
  });
}

const COLUMNS = [
  ...(["delivery_id", "shown", "versions", "state", "revision", "attempts"] as const),
  ...(["wanted_at", "due_at", "edited_at", "body", "error"] as const),
] as const;

const upsert = insertRows("edits", COLUMNS, (insert) =>
  insert.onConflict((conflict) =>
    conflict.column("delivery_id").doUpdateSet((eb) => ({
      shown: eb.ref("excluded.shown"),
      versions: eb.ref("excluded.versions"),
      state: eb.ref("excluded.state"),
      revision: eb("edits.revision", "+", 1),
      wanted_at: eb.ref("excluded.wanted_at"),
      due_at: eb.ref("excluded.due_at"),
      error: eb.ref("excluded.error"),
    })),
  ),
);

/** Stores wanted edits within the commit of the poll that saw the change. */
export async function wantEdits(on: Executor, edits: readonly WantedEdit[]): Promise<void> {
  await upsert(on, edits.map(rowOf));
}

const rowOf = ({ deliveryId, shown, versions, wantedAtMs, dueAtMs }: WantedEdit): EditsTable => ({
  delivery_id: Number(deliveryId),
  shown: JSON.stringify(shown),
  versions: versions.join(" "),
  state: "waiting",
  revision: 1,
  attempts: 0,
  wanted_at: wantedAtMs,
  due_at: dueAtMs,
  edited_at: null,
  body: null,
  error: "",
});

const waitingOf = (on: Executor) =>
  on
    .selectFrom("edits as x")
    .innerJoin("deliveries as d", "d.id", "x.delivery_id")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .where("x.state", "=", WAITING)
    .where("m.state", "=", SENT)
    .where("m.ref", "is not", null);

const oldestDue = statement<{ sink: string; now: number }>()((on, slot) =>
  waitingOf(on)
    .select(["x.delivery_id", "x.revision", "x.shown", "x.attempts", "x.body as edited_body"])
    .leftJoin("message_footers as f", "f.message_id", "m.id")
    .select([
      "m.id as message_id",
      "m.ref",
      "m.channel",
      "m.body",
      "m.footer",
      "f.shown as footer_shown",
    ])
    .select((eb) =>
      eb
        .selectFrom("deliveries as o")
        .select((o) => o.fn.countAll<number>().as("count"))
        .whereRef("o.message_id", "=", "m.id")
        .as("alerts"),
    )
    .where("d.sink", "=", slot("sink"))
    .where("x.due_at", "<=", slot("now"))
    .orderBy("x.due_at")
    .limit(1),
);

export async function dueEdit(
  db: Executor,
  sink: string,
  nowMs: number,
): Promise<DueEdit | undefined> {
  const row = (await oldestDue(db, { sink, now: nowMs })).rows[0];
  if (row === undefined) return undefined;
  const [group] = await readGroups(db, [{ sink, groupKey: "", members: [row.delivery_id] }]);
  const member = group?.members[0];
  if (member === undefined) return undefined;
  return {
    deliveryId: String(row.delivery_id),
    revision: row.revision,
    messageId: row.message_id,
    ref: row.ref ?? "",
    channel: row.channel ?? null,
    member,
    alerts: Number(row.alerts),
    shown: fromText<ShownTweet>(row.shown),
    attempts: row.attempts,
    body: fromText(row.edited_body ?? row.body),
    footer: row.footer_shown ?? row.footer ?? "",
  };
}

const earliest = statement<{ sink: string }>()((on, slot) =>
  waitingOf(on).select("x.due_at").where("d.sink", "=", slot("sink")).orderBy("x.due_at").limit(1),
);

export async function nextEditAt(db: Executor, sink: string): Promise<number | null> {
  const row = (await earliest(db, { sink })).rows[0];
  return row === undefined ? null : Number(row.due_at);
}

export async function recordEdit(
  db: Executor,
  { deliveryId, revision }: Pick<DueEdit, "deliveryId" | "revision">,
  result: EditResult,
): Promise<void> {
  const own = db.updateTable("edits").where("delivery_id", "=", Number(deliveryId));
  if (result.kind === "edited") {
    const { atMs, nextAtMs, body, isSent } = result;
    const sent = isSent ? { edited_at: atMs, body: toText(body), due_at: nextAtMs } : {};
    await own.set({ attempts: 0, error: "", ...sent }).execute();
    await own.set({ state: "done" }).where("revision", "=", revision).execute();
    return;
  }
  if (result.kind === "retry") {
    const { nextAtMs, error } = result;
    await own
      .set((eb) => ({ due_at: nextAtMs, error, attempts: eb("attempts", "+", 1) }))
      .execute();
    return;
  }
  const { error, isFinal } = result;
  const dropped = own.set({ state: isFinal ? "refused" : "dropped", error, attempts: 0 });
  await (isFinal ? dropped : dropped.where("revision", "=", revision)).execute();
}

/**
 * Makes edits due again after an operator sent their alerts again. The new message shows the tweet
 * as it was found, so it needs the edit as well.
 */
const again = listStatement<{ now: number }, number>()((on, list, slot) =>
  on
    .updateTable("edits")
    .set((eb) => ({
      state: "waiting",
      revision: eb("revision", "+", 1),
      attempts: 0,
      due_at: slot("now"),
      body: null,
      error: "",
    }))
    .where("delivery_id", "in", list),
);

export async function editAgain(
  on: Executor,
  deliveryIds: readonly number[],
  nowMs: number,
): Promise<void> {
  await again(on, deliveryIds, { now: nowMs });
}
