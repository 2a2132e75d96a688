/**
 * Normalises a Space, a live audio room (api-v3.md, "Space"). The unit of the Space's own times is
 * not documented; they are converted to ISO 8601 like all other times.
 */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import {
  count,
  withAliases,
  flag,
  listOf,
  numberOrNull,
  nested,
  requiredText,
  recordOf,
  text,
  time,
  user,
} from "./answer-object.ts";

export interface SpaceParticipant extends JsonObject {
  /** The URL of a picture. */
  readonly avatar: string;
  readonly id: string;
  readonly is_muted_by_admin: boolean;
  readonly is_muted_by_guest: boolean;
  readonly is_verified: boolean;
  readonly name: string;
  /** The participant's id for broadcasts, called `periscope_user_id` in older answers. */
  readonly broadcast_user_id: string;
  /**
   * When the participant joined. The number is passed on unchanged, because its unit is not
   * documented.
   */
  readonly start: number;
  readonly username: string;
}

export interface SpaceParticipants extends JsonObject {
  readonly admins: readonly SpaceParticipant[];
  readonly speakers: readonly SpaceParticipant[];
  readonly listeners: readonly SpaceParticipant[];
  readonly total: number;
}

export interface SpaceSettings extends JsonObject {
  readonly conversation_controls: number;
  readonly disallow_join: boolean;
  readonly is_employee_only: boolean;
  readonly is_locked: boolean;
  readonly is_muted: boolean;
  readonly is_space_available_for_clipping: boolean;
  readonly is_space_available_for_replay: boolean;
  readonly max_admin_capacity: number;
  readonly max_guest_sessions: number;
  readonly narrow_cast_space_type: number;
  readonly no_incognito: boolean;
}

export interface SpaceStats extends JsonObject {
  readonly total_live_listeners: number | null;
  readonly total_participants: number | null;
  readonly total_replay_watched: number | null;
}

/** The answer of /spaces. */
export interface Space extends JsonObject {
  readonly id: string;
  readonly title: string;
  /** The state of the Space. The service's document does not list the possible values. */
  readonly state: string;
  readonly media_key: string;
  readonly is_subscribed: boolean;
  /**
   * When the Space was created. This time and the next two are in ISO 8601 UTC, or "" if they
   * cannot be read.
   */
  readonly created_at: string;
  readonly updated_at: string;
  readonly scheduled_start: string;
  readonly creator: User;
  readonly participants: SpaceParticipants;
  readonly settings: SpaceSettings;
  readonly stats: SpaceStats;
}

const participant: (raw: Raw) => SpaceParticipant = recordOf({
  avatar: text,
  id: text,
  is_muted_by_admin: flag,
  is_muted_by_guest: flag,
  is_verified: flag,
  name: text,
  broadcast_user_id: withAliases(text, "periscope_user_id"),
  start: count,
  username: text,
});

const participants: (raw: Raw) => SpaceParticipants = recordOf({
  admins: listOf(participant),
  speakers: listOf(participant),
  listeners: listOf(participant),
  total: count,
});

const settings: (raw: Raw) => SpaceSettings = recordOf({
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

const stats: (raw: Raw) => SpaceStats = recordOf({
  total_live_listeners: numberOrNull,
  total_participants: numberOrNull,
  total_replay_watched: numberOrNull,
});

export const readSpace: (raw: Raw) => Space = recordOf({
  id: requiredText,
  title: text,
  state: text,
  media_key: text,
  is_subscribed: flag,
  created_at: time,
  updated_at: time,
  scheduled_start: time,
  creator: user,
  participants: nested(participants),
  settings: nested(settings),
  stats: nested(stats),
});
