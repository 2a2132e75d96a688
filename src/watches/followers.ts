/**
 * `followers`: who joins and who leaves the follower list of accounts, by reading the whole list.
 * `new_followers` reports new followers only, for a fraction of the requests.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { placingOf, probingShape } from "./placing-schema.ts";
import { WHOLE_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ accounts: accountsSchema, ...probingShape }));

type Settings = z.output<ReturnType<typeof schema>>;

export const followers: WatchType<Settings> = {
  type: "followers",
  summary: "Who starts or stops following the named accounts.",
  schema,
  example: `type: followers
accounts: [acme]
max_pages: 100
schedule: "17 4 * * *"`,
  body: { user: "user", target: "user" },
  events: ["follower.added", "follower.removed"],
  endpoints: ["followers", "info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: () => ({ joined: "follower.added", left: "follower.removed", mode: "whole" }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "followers",
    params: { user_id: requireUserId(target) },
  }),
  caveats: () => WHOLE_ROSTER_CAVEATS,
  placing: placingOf,
  probeFields: ["followers_count"],
  costRequests: () => 1,
  read: rosterMessage,
};
