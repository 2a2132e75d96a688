/** `verified_followers`: which verified accounts begin and stop following accounts. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { placingOf, probingShape } from "./placing-schema.ts";
import { WHOLE_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ accounts: accountsSchema, ...probingShape }));

type Settings = z.output<ReturnType<typeof schema>>;

export const verifiedFollowers: WatchType<Settings> = {
  type: "verified_followers",
  summary: "Verified accounts that start or stop following the named accounts.",
  schema,
  example: `type: verified_followers
accounts: [acme]
schedule: "@every 6h"`,
  body: { user: "user", target: "user" },
  events: ["follower.added", "follower.removed"],
  endpoints: ["verified-followers", "info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: () => ({ joined: "follower.added", left: "follower.removed", mode: "whole" }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "verified-followers",
    params: { user_id: requireUserId(target) },
  }),
  caveats: () => [
    "a follower who gains or loses the badge is reported as new or as having left",
    ...WHOLE_ROSTER_CAVEATS,
  ],
  placing: placingOf,
  probeFields: ["followers_count"],
  costRequests: () => 1,
  read: rosterMessage,
};
