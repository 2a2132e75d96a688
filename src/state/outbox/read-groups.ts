/** Reads the deliveries of groups with all that their messages need to be made. */
import { readDigestGroup } from "../../model/digest.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DueGroup, DueMember, FollowedAlert } from "../../model/outbox.ts";
import type { Tweet } from "../../model/tweet.ts";
import { MERGED } from "../db/literals.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { eventOf } from "../items/insert-events.ts";
import { lastTexts } from "./edited-posts.ts";
import { type FollowUpRow, followedAlerts } from "./followed-alerts.ts";
import { isGone } from "./gone-posts.ts";

/** A group of the outbox, with the deliveries that are to become one message. */
export interface GroupWork {
  readonly sink: string;
  readonly groupKey: string;
  readonly members: readonly number[];
  readonly series?: DueGroup["series"] | undefined;
  readonly dueAtMs?: number | undefined;
  readonly lastPeriod?: DueGroup["lastPeriod"] | undefined;
  readonly snoozedOn?: DueGroup["snoozedOn"] | undefined;
}

/** Reads in one statement what most deliveries need, because each one is a round trip. */
const memberEvents = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .leftJoin("event_marks as a", (join) =>
      join
        .onRef("a.event_id", "=", "d.event_id")
        .on("a.kind", "=", "acknowledged")
        .on("a.undone_at", "is", null),
    )
    .select([
      "d.id as delivery_id",
      "d.throttle_key",
      "d.original_group_key",
      "d.due_at",
      "d.created_at",
      "d.replayed_at",
      "d.template",
    ])
    .select(["d.routed", "d.follows_id", "d.taken"])
    .select([
      "e.id",
      "e.type",
      "e.watch_key",
      "e.watch",
      "e.watch_type",
      "e.subject",
      "e.labels",
      "e.body",
      "e.occurred_at",
      "e.detected_at",
    ])
    .select(["a.marked_by", "a.marked_from", "a.marked_at"])
    .select((eb) => [
      isGone(eb).as("is_gone"),
      eb
        .exists(
          eb
            .selectFrom("deliveries as j")
            .select("j.id")
            .whereRef("j.joined_id", "=", "d.id")
            .where("j.joined_id", "is not", null)
            .where("j.state", "=", MERGED),
        )
        .as("has_joined"),
    ])
    .where("d.id", "in", list),
);

const joinedEvents = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.id", "d.joined_id", "d.follows_id"])
    .select(["e.watch", "e.watch_type", "e.labels", "e.subject"])
    .where("d.joined_id", "in", list)
    .where("d.joined_id", "is not", null)
    .where("d.state", "=", MERGED)
    .orderBy("d.id"),
);

interface Joined {
  readonly id: number;
  readonly event: Pick<ChirpEvent, "watch" | "watchType" | "labels">;
  /** If it is a follow-up, the delivery of the alert that it follows. */
  readonly followUp: FollowUpRow | undefined;
}
type MemberRow = Awaited<ReturnType<typeof memberEvents>>["rows"][number];

/** Reads groups as they are now, whatever the state of their deliveries. */
export async function readGroups(
  db: Executor,
  work: readonly GroupWork[],
): Promise<readonly DueGroup[]> {
  const ids = work.flatMap((w) => w.members);
  const { rows } = await memberEvents(db, ids, {});
  const joined = await joinedTo(
    db,
    rows.flatMap((row) => (row.has_joined ? [Number(row.delivery_id)] : [])),
  );
  const texts = await lastTexts(
    db,
    work.flatMap(({ groupKey, members: own }) =>
      readDigestGroup(groupKey) === undefined ? [] : own,
    ),
  );
  const followed = await followedAlerts(db, [
    ...rows.flatMap((row) => followUpOf(row.delivery_id, row) ?? []),
    ...[...joined.values()].flat().flatMap(({ followUp }) => followUp ?? []),
  ]);
  const members = new Map<number, DueMember>();
  const throttleKeys = new Map<number, string | null>();
  for (const row of rows) {
    const id = Number(row.delivery_id);
    const others = joined.get(id) ?? [];
    const follows = shownAlert(
      followed.get(id),
      others.flatMap(({ followUp }) => followed.get(followUp?.id ?? id) ?? []),
    );
    throttleKeys.set(id, row.throttle_key);
    members.set(id, memberOf(row, { others, follows, tweet: texts.get(id) }));
  }
  return work.map(({ sink, groupKey, members: own, series, dueAtMs, lastPeriod, snoozedOn }) => ({
    sink,
    groupKey,
    series,
    dueAtMs,
    lastPeriod,
    ...(snoozedOn === undefined ? {} : { snoozedOn }),
    throttleKey: throttleKeys.get(own[0] ?? 0) ?? null,
    members: own.flatMap((id) => members.get(id) ?? []),
  }));
}

/** What is known of a delivery besides its row. */
interface Around {
  readonly others: readonly Joined[];
  readonly follows: FollowedAlert | undefined;
  /** The last text of its post, if that was edited. */
  readonly tweet: Tweet | undefined;
}

/** All fields are written out, because spreading so many allocates several times the memory. */
function memberOf(row: MemberRow, { others, follows, tweet }: Around): DueMember {
  const found = eventOf(row);
  return {
    event: tweet === undefined ? found : { ...found, body: { ...found.body, tweet } },
    deliveryId: String(row.delivery_id),
    joined: others.map(({ event }) => event),
    joinedIds: alertsOf(others),
    watches: [...new Set([found.watch, ...others.map(({ event }) => event.watch)])],
    follows,
    // A delivery that was due at once is already queued for sending, so nothing can silence it.
    canBeSilenced: Number(row.due_at) > Number(row.created_at) && row.replayed_at === null,
    isReplay: row.replayed_at !== null,
    acknowledged:
      row.marked_at === null || row.marked_by === null || row.marked_from === null
        ? undefined
        : { by: row.marked_by, from: row.marked_from, atMs: Number(row.marked_at) },
    routed: row.routed === null ? undefined : fromText(row.routed),
    isGone: row.is_gone ? true : undefined,
    isEdited: tweet === undefined ? undefined : true,
    taken: typeof row.taken === "string" ? fromText<readonly string[]>(row.taken) : undefined,
    originalGroupKey: row.original_group_key ?? undefined,
    template: row.template ?? undefined,
  };
}

/** Returns undefined where nothing joined, so that most alerts need no list. */
const alertsOf = (others: readonly Joined[]): readonly string[] | undefined =>
  others.length === 0
    ? undefined
    : others.flatMap(({ id, followUp }) => (followUp === undefined ? [String(id)] : []));

const followUpOf = (
  id: number,
  row: { readonly follows_id: number | null; readonly subject: string },
): FollowUpRow | undefined =>
  row.follows_id === null
    ? undefined
    : { id: Number(id), followsId: Number(row.follows_id), subject: row.subject };

/**
 * Returns the alert that a follow-up is about. If nobody was shown its own, but somebody was shown
 * that of a follow-up that joined it, it is about that one: otherwise nobody would hear of the
 * change.
 */
const shownAlert = (
  own: FollowedAlert | undefined,
  ofJoined: readonly FollowedAlert[],
): FollowedAlert | undefined =>
  own === undefined || own.state === "sent"
    ? own
    : (ofJoined.find(({ state }) => state === "sent") ?? own);

/** Returns the deliveries that joined each of these, by its id. */
async function joinedTo(
  db: Executor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly Joined[]>> {
  const joined = new Map<number, Joined[]>();
  for (const row of (await joinedEvents(db, ids, {})).rows) {
    const others = joined.get(Number(row.joined_id)) ?? [];
    others.push({
      id: Number(row.id),
      event: { watch: row.watch, watchType: row.watch_type, labels: fromText(row.labels) },
      followUp: followUpOf(row.id, row),
    });
    joined.set(Number(row.joined_id), others);
  }
  return joined;
}
