/**
 * `community_info`: a community whose name or description changed, and member counts that crossed
 * a threshold.
 */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { communityMessage } from "../render/messages/community-message.ts";
import { communitySchema } from "./community-schema.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    community: communitySchema,
    when: whenSchema({ member_count: "Members" }).optional().describe(WHEN_TEXT),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when }: Settings): ReadingRule => ({
  name: "community",
  fields: ["name", "description", "banner_url", "member_count"],
  // These values mean that the service sent none, because every community has a name, a description
  // and members.
  unknown: ["", 0],
  account: "creator",
  changes: { event: "community.changed", fields: ["name", "description", "banner_url"] },
  crossing: { event: "community.changed", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
});

const VALUES = { name: "string", description: "string", banner_url: "string", member_count: "int" };

export const communityInfo: WatchType<Settings> = {
  type: "community_info",
  summary:
    "A community whose name or description changed, and member counts that crossed a threshold.",
  schema,
  example: `type: community_info
community: "1493446837214187523"
when: { member_count: "every 1000" }
schedule: "@every 1h"`,
  body: { user: "user", community: VALUES, previous: VALUES, crossed: "texts", changed: "texts" },
  events: ["community.changed"],
  endpoints: ["community-info"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ community }) => [{ key: community, name: community }],
  source: ({ community }) => ({ endpoint: "community-info", params: { community_id: community } }),
  caveats: () => ["a change that was undone between two polls", "a description that was removed"],
  costRequests: () => 1,
  read: communityMessage,
};
