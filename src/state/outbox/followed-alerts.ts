/**
 * Finds the state of the alerts that follow-ups are about, and follow-ups of other watches that say
 * the same. An alert that joined another alert on the same subject has the state of that other
 * alert. If the other alert is on a different subject, nobody was shown the one that joined it.
 */
import type { FollowedAlert, SentMessage } from "../../model/outbox.ts";
import type { ShownTweet } from "../../model/edit.ts";
import type { EventBody } from "../../model/event.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { DEAD, WAITING } from "../db/literals.ts";

/** A follow-up, and the delivery of the alert that it follows. */
export interface FollowUpRow {
  readonly id: number;
  readonly followsId: number;
  readonly subject: string;
}

const alertsById = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as a")
    .leftJoin("deliveries as j", "j.id", "a.joined_id")
    .leftJoin("events as e", (join) =>
      join.onRef("e.id", "=", (eb) => eb.fn.coalesce("j.event_id", "a.event_id")),
    )
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("j.message_id", "a.message_id")),
    )
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .leftJoin("edits as x", (join) =>
      join.onRef("x.delivery_id", "=", (eb) => eb.fn.coalesce("j.id", "a.id")),
    )
    .select([
      "a.id as own_id",
      "e.subject",
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
    .where("a.id", "in", list),
);

type Row = Awaited<ReturnType<typeof alertsById>>["rows"][number];

/** Returns the followed alerts by the ids of the follow-ups. */
export async function followedAlerts(
  db: Executor,
  followUps: readonly FollowUpRow[],
): Promise<ReadonlyMap<number, FollowedAlert>> {
  const found = await alertsOf(db, followUps);
  // If nobody was shown the first alert on a value, somebody may have been shown a repeat of it.
  const unsent = followUps.filter(({ id }) => found.get(id)?.state === "unsent");
  const repeats = await lastRepeats(db, unsent);
  const shown = await alertsOf(db, repeats);
  const said = await saidBefore(db, followUps);
  return new Map(
    [...found, ...shown].map(([id, alert]) => {
      const saidBy = said.get(id);
      return [id, saidBy === undefined ? alert : { ...alert, saidBy }];
    }),
  );
}

async function alertsOf(
  db: Executor,
  followUps: readonly FollowUpRow[],
): Promise<ReadonlyMap<number, FollowedAlert>> {
  const { rows } = await alertsById(
    db,
    [...new Set(followUps.map(({ followsId }) => followsId))],
    {},
  );
  const byId = new Map(rows.map((row) => [Number(row.own_id), row]));
  return new Map(
    followUps.flatMap(({ id, followsId, subject }) => {
      const row = byId.get(followsId);
      return row === undefined ? [] : [[id, alertOf(row, subject)] as const];
    }),
  );
}

function alertOf(row: Row, subject: string): FollowedAlert {
  const { edit_state: state, shown } = row;
  const message = messageOf(row);
  const edit =
    state === null || shown === null
      ? {}
      : { edit: { state, isGone: fromText<ShownTweet>(shown).isGone } };
  return {
    deliveryId: String(row.id),
    state: stateOf(row, subject),
    message,
    ...edit,
  };
}

/** Returns the state of a followed alert. A message that is no longer stored was sent. */
function stateOf(
  { state, message_state: messageState, subject: shown }: Row,
  subject: string,
): FollowedAlert["state"] {
  if (shown !== subject) return "unsent";
  if (state === "waiting" || messageState === "open") return "waiting";
  if (state === "deleted") return state;
  const isSent = messageState !== "dead" && (state === "sealed" || state === "summarised");
  return isSent ? "sent" : "unsent";
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

const repeatsShown = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as f")
    .innerJoin("events as fe", "fe.id", "f.event_id")
    .innerJoin("events as oe", "oe.subject", "fe.subject")
    .innerJoin("deliveries as o", (join) =>
      join.onRef("o.event_id", "=", "oe.id").onRef("o.sink", "=", "f.sink"),
    )
    .leftJoin("messages as m", "m.id", "o.message_id")
    .select(["f.id as own_id", "o.id", "fe.subject"])
    .where("f.id", "in", list)
    .whereRef("oe.watch_key", "=", "fe.watch_key")
    .whereRef("oe.type", "=", "fe.type")
    .whereRef("o.id", ">", "f.follows_id")
    .whereRef("o.id", "<", "f.id")
    .where("o.follows_id", "is", null)
    .where("o.state", "in", ["sealed", "summarised"])
    .where((eb) => eb.or([eb("m.state", "is", null), eb("m.state", "!=", DEAD)]))
    .orderBy("o.id"),
);

async function lastRepeats(
  db: Executor,
  followUps: readonly FollowUpRow[],
): Promise<readonly FollowUpRow[]> {
  if (followUps.length === 0) return [];
  const { rows } = await repeatsShown(
    db,
    followUps.map(({ id }) => id),
    {},
  );
  const last = new Map(
    rows.map((row) => [
      Number(row.own_id),
      { id: Number(row.own_id), followsId: Number(row.id), subject: row.subject },
    ]),
  );
  return [...last.values()];
}

/**
 * Finds follow-ups of other watches that are about the same tweet, if the followed alerts share a
 * message because one joined the other. One that waits counts if it is due sooner, because a mute
 * may hold it for years.
 */
const alike = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as f")
    .innerJoin("events as fe", "fe.id", "f.event_id")
    .innerJoin("deliveries as fa", "fa.id", "f.follows_id")
    .innerJoin("events as oe", "oe.subject", "fe.subject")
    .innerJoin("deliveries as o", (join) =>
      join.onRef("o.event_id", "=", "oe.id").onRef("o.sink", "=", "f.sink"),
    )
    .innerJoin("deliveries as oa", "oa.id", "o.follows_id")
    .leftJoin("messages as m", "m.id", "o.message_id")
    .select(["f.id as own_id", "o.id", "fe.type", "fe.body", "oe.body as other_body"])
    .where("f.id", "in", list)
    .where("fe.type", "in", ["tweet.deleted", "tweet.edited"])
    .whereRef("oe.type", "=", "fe.type")
    .whereRef("o.id", "!=", "f.id")
    .where((eb) =>
      eb(eb.fn.coalesce("oa.joined_id", "oa.id"), "=", eb.fn.coalesce("fa.joined_id", "fa.id")),
    )
    .where((eb) =>
      eb.or([
        eb.and([
          eb("o.state", "=", WAITING),
          eb.or([
            eb("o.due_at", "<", eb.ref("f.due_at")),
            eb.and([eb("o.due_at", "=", eb.ref("f.due_at")), eb("o.id", "<", eb.ref("f.id"))]),
          ]),
        ]),
        eb.and([
          eb("o.state", "in", ["sealed", "summarised"]),
          eb.or([eb("m.state", "is", null), eb("m.state", "!=", DEAD)]),
        ]),
      ]),
    )
    .orderBy("o.id"),
);

/**
 * Returns, by the id of a follow-up, the id of another follow-up that says the same. Two edits of a
 * tweet say the same if they have the same text.
 */
async function saidBefore(
  db: Executor,
  followUps: readonly FollowUpRow[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await alike(
    db,
    followUps.map(({ id }) => id),
    {},
  );
  const textOf = (body: string) => fromText<EventBody>(body).tweet?.full_text;
  const same = rows.filter(
    ({ type, body, other_body: other }) =>
      type === "tweet.deleted" || textOf(body) === textOf(other),
  );
  return new Map(same.map((row) => [Number(row.own_id), String(row.id)]));
}
