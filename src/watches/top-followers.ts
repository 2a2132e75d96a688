/**
 * `top_followers`: the 20 followers of an account with the highest score: who enters and who leaves
 * that list.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { TOP_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ accounts: accountsSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

const DAY_MS = 86_400_000;

/** The fields of each follower in /top-followers (docs/service.md section 1). */
const FOLLOWER = {
  id: "string",
  username: "string",
  display_name: "string",
  description: "string",
  created_at: "string",
  can_dm: "bool",
  protected: "bool",
  verified: "bool",
  followers_count: "int",
  followings_count: "int",
  tweets_count: "int",
  profile_image_url: "string",
  profile_background_image_url: "string",
  score: "dyn",
} as const;

export const topFollowers: WatchType<Settings> = {
  type: "top_followers",
  summary: "Who enters or leaves the 20 followers with the highest score.",
  schema,
  example: `type: top_followers
accounts: [acme]
schedule: { cron: "45 6 * * *", timezone: Europe/Berlin }`,
  body: { user: FOLLOWER, target: "user" },
  events: ["top_follower.entered", "top_follower.left"],
  endpoints: ["top-followers"],
  include: { reply: false, quote: false, retweet: false },
  // Scores are computed about once a day (docs/service.md section 4).
  dataIntervalMs: DAY_MS,
  detection: {
    detector: "roster",
    rule: () => ({
      joined: "top_follower.entered",
      left: "top_follower.left",
      mode: "whole",
      fields: Object.keys(FOLLOWER),
    }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "top-followers",
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: () => true,
  caveats: () => TOP_ROSTER_CAVEATS,
  costRequests: () => 1,
  read: rosterMessage,
};
