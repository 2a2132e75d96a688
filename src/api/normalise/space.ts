/** A live audio room: api-v3.md "Space". Its integer times have no documented unit; they become ISO 8601 like every other time. */
import { count, either, flag, listOf, part, promisedText, recordOf, text, time, user } from "./record.ts";

const participant = recordOf({
  avatar: text,
  id: text,
  is_muted_by_admin: flag,
  is_muted_by_guest: flag,
  is_verified: flag,
  name: text,
  broadcast_user_id: either(text, "periscope_user_id"),
  start: count,
  username: text,
});

const participants = recordOf({ admins: listOf(participant), speakers: listOf(participant), listeners: listOf(participant), total: count });

const settings = recordOf({
  conversation_controls: count,
  disallow_join: flag,
  is_employee_only: flag,
  is_locked: flag,
  is_muted: flag,
  is_space_available_for_clipping: flag,
  is_space_available_for_replay: flag,
  max_admin_capacity: count,
  max_guest_sessions: count,
  narrow_cast_space_type: count,
  no_incognito: flag,
});

const stats = recordOf({ total_live_listeners: count, total_participants: count, total_replay_watched: count });

/** The answer of /spaces. */
export const spaceRecord = recordOf({
  id: promisedText,
  title: text,
  state: text,
  media_key: text,
  is_subscribed: flag,
  created_at: time,
  updated_at: time,
  scheduled_start: time,
  creator: user,
  participants: part(participants),
  settings: part(settings),
  stats: part(stats),
});
