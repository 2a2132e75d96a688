/** Endpoints about Spaces and trends. */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call, Handler } from "../calls/call.ts";
import { badRequest, notFound } from "../calls/service-error.ts";
import { hash32 } from "../world/chance/dice.ts";
import { liveListeners, type SpaceRecord, spaceState } from "../world/spaces.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function spaces(call: Call): Answer {
  const { name, value } = call.params.exactlyOne(["id", "link"]);
  const id =
    name === "id" ? value : /^https?:\/\/\S+\/([0-9A-Za-z]+)\/?(?:[?#].*)?$/.exec(value)?.[1];
  if (id === undefined || !/^[0-9A-Za-z]{5,20}$/.test(id))
    throw badRequest(`${name} is not a Space`);
  const space = call.world.spaces.find(id, call.nowMs);
  if (space === undefined) throw notFound("space");
  return { body: showSpace(call, space) };
}

/** The number of a Space's listeners that the answer names. */
const NAMED_LISTENERS = 6;
const SPEAKERS = 2;

function showSpace(call: Call, space: SpaceRecord): JsonObject {
  if (space.shown !== undefined) return space.shown;
  const state = spaceState(space, call.nowMs);
  const listeners = liveListeners(space, call.nowMs);
  const all = state === "Ended" ? space.mostListeners : listeners;
  const guests = state === "NotStarted" ? [] : guestsOf(call, space);
  const named = state === "Running" ? Math.min(NAMED_LISTENERS, listeners) : 0;
  return {
    id: space.id,
    title: space.title,
    state,
    media_key: `28_${hash32(space.id)}${hash32("media", space.id)}`,
    is_subscribed: false,
    created_at: space.createdMs,
    updated_at:
      state === "NotStarted"
        ? space.createdMs
        : Math.min(Math.floor(call.nowMs / MINUTE_MS) * MINUTE_MS, space.endsMs),
    scheduled_start: space.startsMs,
    creator: call.show.user(space.host),
    participants: {
      admins: [participant(call, space, space.host)],
      speakers: guests.slice(0, SPEAKERS).map((key) => participant(call, space, key)),
      listeners: guests
        .slice(SPEAKERS, SPEAKERS + named)
        .map((key) => participant(call, space, key)),
      total: 1 + Math.min(SPEAKERS, guests.length) + all,
    },
    settings: SETTINGS,
    stats: {
      total_live_listeners: listeners,
      total_participants: 1 + Math.min(SPEAKERS, guests.length) + all,
      total_replay_watched:
        state === "Ended"
          ? Math.floor(space.mostListeners * 3 * (1 - 2 ** (-(call.nowMs - space.endsMs) / DAY_MS)))
          : 0,
    },
  };
}

function guestsOf(call: Call, space: SpaceRecord): readonly number[] {
  const { people } = call.world;
  const from = hash32(space.id, "guests") % Math.max(1, people.count);
  const keys = Array.from(
    { length: SPEAKERS + NAMED_LISTENERS + 4 },
    (_, i) => (from + i) % Math.max(1, people.count),
  );
  return keys.filter((key) => key < people.count && key !== space.host && people.isReadable(key));
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

function trendsOf(call: Call): Answer {
  const woeid = call.params.integer("woeid");
  if (woeid === undefined) throw badRequest("woeid is required");
  const trends = call.world.trends.at(woeid, call.nowMs);
  if (trends === undefined) throw notFound("location");
  return { body: { trends } };
}

export const SPACE_AND_TREND_HANDLERS = {
  spaces,
  trends: trendsOf,
} as const satisfies Record<string, Handler>;
