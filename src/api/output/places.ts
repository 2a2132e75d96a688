/**
 * Schemas of the communities, Spaces and trends that the service sends. normalise/community.ts,
 * space.ts and trend.ts read the data.
 */
import { z } from "zod";
import { integer, digits, listOutput } from "./atoms.ts";
import { userOutput } from "./users.ts";

/** The answer of /community-info (api-v3.md, "Community info"). */
export const communityOutput = z.lazy(() =>
  z
    .looseObject({
      name: z.string(),
      description: z.string(),
      member_count: integer,
      created_at: integer.describe("Unix milliseconds"),
      banner_url: z.string().describe("A default one when there is none"),
      creator: userOutput,
    })
    .meta({ id: "CommunityInfo" }),
);

const participants = z.array(
  z.lazy(() =>
    z
      .looseObject({
        avatar: z.string(),
        id: digits,
        is_muted_by_admin: z.boolean(),
        is_muted_by_guest: z.boolean(),
        is_verified: z.boolean(),
        name: z.string(),
        broadcast_user_id: z.string().optional().describe("`periscope_user_id` in older answers"),
        start: integer,
        username: z.string(),
      })
      .meta({ id: "SpaceParticipant" }),
  ),
);

const settings = z.lazy(() =>
  z.looseObject({
    conversation_controls: integer,
    disallow_join: z.boolean(),
    is_employee_only: z.boolean(),
    is_locked: z.boolean(),
    is_muted: z.boolean(),
    is_space_available_for_clipping: z.boolean(),
    is_space_available_for_replay: z.boolean(),
    max_admin_capacity: integer,
    max_guest_sessions: integer,
    narrow_cast_space_type: integer,
    no_incognito: z.boolean(),
  }),
);

/** The answer of /spaces (api-v3.md, "Space"). The unit of its times is not documented. */
export const spaceOutput = z.lazy(() =>
  z
    .looseObject({
      id: z.string(),
      title: z.string(),
      state: z.string(),
      media_key: z.string(),
      is_subscribed: z.boolean(),
      created_at: integer,
      updated_at: integer,
      scheduled_start: integer,
      creator: userOutput,
      participants: z.looseObject({
        admins: participants,
        speakers: participants,
        listeners: participants,
        total: integer,
      }),
      settings,
      stats: z.looseObject({
        total_live_listeners: integer,
        total_participants: integer,
        total_replay_watched: integer,
      }),
    })
    .meta({ id: "Space" }),
);

export const trendList = listOutput(
  "trends",
  z.lazy(() =>
    z.looseObject({ name: z.string(), query: z.string(), url: z.string() }).meta({ id: "Trend" }),
  ),
);
