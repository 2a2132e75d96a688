/**
 * `top_following`: the 20 accounts with the highest score that an account follows: which enter and
 * which leave that list.
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

export const topFollowing: WatchType<Settings> = {
  type: "top_following",
  summary: "Who enters or leaves the 20 accounts with the highest score that an account follows.",
  schema,
  example: `type: top_following
accounts: [acme, rival]
schedule: { cron: "45 6 * * *", timezone: Europe/Berlin }`,
  body: { user: "user", target: "user" },
  events: ["top_following.entered", "top_following.left"],
  endpoints: ["top-following"],
  include: { reply: false, quote: false, retweet: false },
  // Scores are computed about once a day (docs/service.md section 4).
  dataIntervalMs: DAY_MS,
  detection: {
    detector: "roster",
    // A date in this list says when the account was followed. The date is ignored, because an
    // account can enter the list years later.
    rule: () => ({
      joined: "top_following.entered",
      left: "top_following.left",
      mode: "whole",
      ignoresDates: true,
    }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "top-following",
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: () => true,
  caveats: () => TOP_ROSTER_CAVEATS,
  costRequests: () => 1,
  read: rosterMessage,
};
