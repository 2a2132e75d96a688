/** Changes that the control API makes to Spaces, trends, lists, communities and their members. */
import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { liveListeners, type SpaceRecord, spaceState } from "../world/spaces.ts";
import { snowflake } from "../world/tweets/tweet-record.ts";
import type { World } from "../world/world.ts";
import { handle, time } from "./world-orders.ts";

const digits = z.string().regex(/^\d{1,20}$/, "must be a string of digits");
const NEW_SPACE_MS = 90 * 60_000;
const USUAL_LISTENERS = 60;

export const SPACE = z.strictObject({
  /** The id of an existing Space. If absent, a new Space is created. */
  id: z.string().exactOptional(),
  title: z.string().exactOptional(),
  host: handle.exactOptional(),
  starts_at: time.exactOptional(),
  ends_at: time.exactOptional(),
  /**
   * A fixed number of listeners while the Space is live. Null ends this, so that the number varies
   * again.
   */
  listeners: z.int().nonnegative().nullable().exactOptional(),
});

/**
 * Creates a Space, or changes the given fields of an existing one. A new Space starts now and lasts
 * an hour and a half. @throws ServiceError 400, 404
 */
export function putSpace(world: World, order: z.output<typeof SPACE>, nowMs: number): JsonObject {
  const before =
    order.id === undefined ? newSpace(world, nowMs) : world.spaces.find(order.id, nowMs);
  if (before === undefined) throw notFound("space");
  if (before.shown !== undefined) throw badRequest("id: a recorded Space stays as it was recorded");
  const { listeners: set, ...rest } = before;
  const listeners = order.listeners === undefined ? set : (order.listeners ?? undefined);
  const startsMs = order.starts_at === undefined ? before.startsMs : Date.parse(order.starts_at);
  const space: SpaceRecord = {
    ...rest,
    ...(order.title !== undefined && { title: order.title }),
    ...(order.host !== undefined && { host: world.people.ensure(order.host) }),
    ...(listeners !== undefined && { listeners }),
    createdMs: Math.min(before.createdMs, startsMs),
    startsMs,
    endsMs:
      order.ends_at === undefined
        ? Math.max(before.endsMs, startsMs + 1)
        : Date.parse(order.ends_at),
  };
  if (space.endsMs < space.startsMs)
    throw badRequest("ends_at: a Space cannot end before it starts");
  world.spaces.put(space);
  return { id: space.id, state: spaceState(space, nowMs), listeners: liveListeners(space, nowMs) };
}

function newSpace({ spaces }: World, nowMs: number): SpaceRecord {
  return {
    id: spaces.freshId(),
    title: "Talking about nothing in particular",
    host: 0,
    createdMs: nowMs,
    startsMs: nowMs,
    endsMs: nowMs + NEW_SPACE_MS,
    mostListeners: USUAL_LISTENERS,
  };
}

export const TRENDS = z.strictObject({
  woeid: z.int(),
  /** The names of the trends, the most popular one first. Null restores the generated trends. */
  names: z.array(z.string().min(1)).nullable(),
});

export function setTrends(
  { trends }: World,
  { woeid, names }: z.output<typeof TRENDS>,
  nowMs: number,
): JsonObject {
  trends.set(woeid, names === null ? undefined : names.map(trends.trendOf));
  return { names: (trends.at(woeid, nowMs) ?? []).map((trend) => trend.name) };
}

const handles = z.array(handle).max(5_000).exactOptional();

export const LIST = z.strictObject({
  id: digits.exactOptional(),
  members: handles,
  followers: handles,
});

/**
 * Creates a list with these members and followers, or replaces those of an existing list. An
 * existing list keeps its members or followers if they are not given.
 */
export function putList(
  { groups, people }: World,
  order: z.output<typeof LIST>,
  nowMs: number,
): JsonObject {
  const id = order.id ?? snowflake(nowMs, groups.lists().length);
  const keys = (names: readonly string[]): readonly number[] => [
    ...new Set(names.map((name) => people.ensure(name))),
  ];
  const list = {
    ...(groups.list(id) ?? { id, share: 0, members: [], followers: 0, followerKeys: [] }),
    ...(order.members && { members: keys(order.members) }),
    ...(order.followers && { followerKeys: keys(order.followers) }),
  };
  groups.putList(list, order.members !== undefined);
  return {
    id,
    members: groups.membersOf(list, nowMs).length,
    followers: groups.followerPositions(list, nowMs),
  };
}

export const COMMUNITY = z.strictObject({
  id: digits,
  name: z.string().min(1).exactOptional(),
  description: z.string().exactOptional(),
  banner_url: z.string().exactOptional(),
});

/** Changes the given texts of a community. @throws ServiceError 404 */
export function describeCommunity(
  { groups }: World,
  { id, banner_url, ...words }: z.output<typeof COMMUNITY>,
): JsonObject {
  const before = groups.community(id);
  if (before === undefined) throw notFound("community");
  const recorded =
    banner_url === undefined
      ? before.recorded
      : { unnamedMembers: 0, ...before.recorded, bannerUrl: banner_url };
  groups.describeCommunity({ ...before, ...words, ...(recorded && { recorded }) });
  return { id, ...words, ...(banner_url !== undefined && { banner_url }) };
}

export const MEMBER = z.strictObject({ group: digits, username: handle });

/** Makes an account join or leave a community or a list. @throws ServiceError 404 */
export function setMember(
  { groups, people }: World,
  order: z.output<typeof MEMBER>,
  isIn: boolean,
  nowMs: number,
): JsonObject {
  const group = groups.community(order.group) ?? groups.list(order.group);
  if (group === undefined) throw notFound("group");
  groups.setMember(group, people.ensure(order.username), isIn, nowMs);
  return { members: groups.membersOf(group, nowMs).length };
}
