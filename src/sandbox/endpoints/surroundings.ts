/** Endpoints about Spaces and trends. */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call, Handler } from "../call.ts";
import { badRequest, notFound } from "../service-error.ts";
import { hash32 } from "../world/dice.ts";
import { type SpaceRecord, spaceState, trendsAt, WOEIDS } from "../world/spaces.ts";

const HOUR_MS = 3_600_000;

function spaces(call: Call): Answer {
  const { name, value } = call.params.exactlyOne(["id", "link"]);
  const id = name === "id" ? value : /^https?:\/\/\S+\/([0-9A-Za-z]+)\/?(?:[?#].*)?$/.exec(value)?.[1];
  if (id === undefined || !/^[0-9A-Za-z]{5,20}$/.test(id)) throw badRequest(`${name} is not a Space`);
  const space = call.world.spaces.find((each) => each.id === id);
  if (space === undefined) throw notFound("space");
  return { body: showSpace(call, space) };
}

function showSpace(call: Call, space: SpaceRecord): JsonObject {
  const state = spaceState(space, call.nowMs);
  const listeners = state === "NotStarted" ? 0 : 4 + (hash32(space.id, Math.floor(call.nowMs / 60_000)) % 60);
  const guests = state === "NotStarted" ? [] : call.world.people.native.slice(5, 5 + 8).map((account) => account.index);
  return {
    id: space.id,
    title: space.title,
    state,
    media_key: `28_${hash32(space.id)}${hash32("media", space.id)}`,
    is_subscribed: false,
    created_at: space.createdMs,
    updated_at: Math.max(space.createdMs, Math.min(call.nowMs, space.endsMs)),
    scheduled_start: space.startsMs,
    creator: call.show.user(space.host),
    participants: {
      admins: [participant(call, space, space.host)],
      speakers: guests.slice(0, 2).map((key) => participant(call, space, key)),
      listeners: guests.slice(2).map((key) => participant(call, space, key)),
      total: 1 + guests.length + listeners,
    },
    settings: SETTINGS,
    stats: {
      total_live_listeners: state === "Running" ? listeners : 0,
      total_participants: 1 + guests.length + listeners,
      total_replay_watched: state === "Ended" ? listeners * 3 : 0,
    },
  };
}

function participant(call: Call, space: SpaceRecord, key: number): JsonObject {
  const user = call.show.user(key);
  return {
    avatar: user.profile_image_url,
    id: user.id,
    is_muted_by_admin: false,
    is_muted_by_guest: key !== space.host,
    is_verified: user.verified,
    name: user.display_name,
    broadcast_user_id: `b${hash32(space.id, key)}`,
    start: space.startsMs + (hash32(space.id, "join", key) % 600_000),
    username: user.username,
  };
}

const SETTINGS: JsonObject = {
  conversation_controls: 0,
  disallow_join: false,
  is_employee_only: false,
  is_locked: false,
  is_muted: false,
  is_space_available_for_clipping: true,
  is_space_available_for_replay: true,
  max_admin_capacity: 10,
  max_guest_sessions: 13,
  narrow_cast_space_type: 0,
  no_incognito: false,
};

function trends(call: Call): Answer {
  const woeid = call.params.integer("woeid");
  if (woeid === undefined) throw badRequest("woeid is required");
  if (!WOEIDS.includes(woeid)) throw notFound("location");
  const names = trendsAt(call.world.seed, woeid, Math.floor(call.nowMs / HOUR_MS));
  return {
    body: {
      trends: names.map((name) => ({
        name,
        query: `"${name}"`,
        url: `https://social.example/search?q=${encodeURIComponent(`"${name}"`)}`,
      })),
    },
  };
}

export const SURROUNDING_HANDLERS = {
  spaces,
  trends,
} as const satisfies Record<string, Handler>;
