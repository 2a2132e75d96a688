/**
 * `community_members`: who joins a community and who leaves it. The service sends few fields of a
 * member, and the body has no others.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { communitySchema } from "./community-schema.ts";
import { WHOLE_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ community: communitySchema }));

type Settings = z.output<ReturnType<typeof schema>>;

/** The fields that the service sends of a member (api-v3.md, "Reduced user"). */
const MEMBER = {
  id: "string",
  username: "string",
  display_name: "string",
  profile_image_url: "string",
  protected: "bool",
  verified: "bool",
} as const;

export const communityMembers: WatchType<Settings> = {
  type: "community_members",
  summary: "Who joins a community and who leaves it.",
  schema,
  example: `type: community_members
community: "1493446837214187523"
max_pages: 200
schedule: "17 5 * * *"`,
  body: { user: MEMBER, community: { id: "string" } },
  events: ["member.added", "member.removed"],
  endpoints: ["community-members"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: ({ community }) => ({
      joined: "member.added",
      left: "member.removed",
      mode: "whole",
      about: { community: { id: community } },
      fields: Object.keys(MEMBER),
    }),
  },
  targets: ({ community }) => [{ key: community, name: community }],
  source: ({ community }) => ({
    endpoint: "community-members",
    params: { community_link: community },
  }),
  caveats: () => ["the service returns members without bio and counts", ...WHOLE_ROSTER_CAVEATS],
  costRequests: () => 1,
  read: rosterMessage,
};
