/**
 * `following`: which accounts the named accounts start and stop following, by reading the whole
 * list.
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

export const following: WatchType<Settings> = {
  type: "following",
  summary: "Whom the named accounts start or stop following.",
  schema,
  example: `type: following
accounts: [acme, rival]
schedule: "@every 6h"`,
  body: { user: "user", target: "user" },
  events: ["following.added", "following.removed"],
  endpoints: ["follows", "info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: () => ({ joined: "following.added", left: "following.removed", mode: "whole" }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "follows",
    params: { user_id: requireUserId(target) },
  }),
  caveats: () => WHOLE_ROSTER_CAVEATS,
  placing: placingOf,
  probeFields: ["followings_count"],
  costRequests: () => 1,
  read: rosterMessage,
};
