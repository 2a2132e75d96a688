/** How the alerts fare that follow-ups speak about: what joined another alert fares as that one. */
import type { FollowedAlert, SentMessage } from "../../model/outbox.ts";
import type { ShownTweet } from "../../model/edit.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement } from "../db/statement.ts";

const followed = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as f")
    .innerJoin("deliveries as a", "a.id", "f.follows_id")
    .leftJoin("deliveries as j", "j.id", "a.joined_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("j.message_id", "a.message_id")),
    )
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .leftJoin("edits as x", (join) =>
      join.onRef("x.delivery_id", "=", (eb) => eb.fn.coalesce("j.id", "a.id")),
    )
    .select([
      "f.id as own_id",
      "m.id as message_id",
      "m.state as message_state",
      "m.ref",
      "m.channel",
    ])
    .select([
      "parent.id as parent_id",
      "parent.ref as parent_ref",
      "x.state as edit_state",
      "x.shown",
    ])
    .select((eb) => [
      eb.fn.coalesce("j.id", "a.id").as("id"),
      eb.fn.coalesce("j.state", "a.state").as("state"),
    ])
    .where("f.id", "in", list),
);

type Row = Awaited<ReturnType<typeof followed>>["rows"][number];

/** By the ids of the follow-ups. */
export async function followedAlerts(
  db: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FollowedAlert>> {
  const { rows } = await followed(db, ids, {});
  return new Map(
    rows.map((row) => {
      const message = messageOf(row);
      const { edit_state: state, shown } = row;
      const edit =
        state === null || shown === null
          ? {}
          : { edit: { state, isGone: fromText<ShownTweet>(shown).isGone } };
      return [
        Number(row.own_id),
        { deliveryId: String(row.id), state: stateOf(row), ...(message && { message }), ...edit },
      ];
    }),
  );
}

/** A message that is forgotten by now was sent. */
function stateOf({ state, message_state: messageState }: Row): FollowedAlert["state"] {
  if (state === "waiting" || messageState === "open") return "waiting";
  if (state === "deleted") return state;
  const isSent = messageState !== "dead" && (state === "sealed" || state === "summarised");
  return isSent ? "sent" : "other";
}

function messageOf({
  message_id: id,
  message_state: state,
  ref,
  channel,
  ...row
}: Row): SentMessage | undefined {
  if (id === null || ref === null || state !== "sent") return undefined;
  const { parent_id: firstId, parent_ref: firstRef } = row;
  const first =
    firstId === null || firstRef === null ? {} : { first: { id: firstId, ref: firstRef } };
  return { id, ref, ...(channel === null || channel === undefined ? {} : { channel }), ...first };
}
