/** `followers_stats`: how many influential followers an account has, by category. */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { statsMessage } from "../render/messages/stats-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const DAY_MS = 86_400_000;
const COUNTS = {
  followers_count: "Followers that have a category",
  influencers_count: "Influencers among the followers",
  projects_count: "Projects among the followers",
  venture_capitals_count: "Venture capital firms among the followers",
};

const schema = lazy(() =>
  z.strictObject({ accounts: accountsSchema, when: whenSchema(COUNTS).describe(WHEN_TEXT) }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when }: Settings): ReadingRule => ({
  name: "stats",
  fields: Object.keys(COUNTS),
  // The service does not count the followers of a protected account.
  hiddenBy: "user_protected",
  crossing: { event: "stats.changed", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
});

const VALUES = Object.fromEntries(Object.keys(COUNTS).map((name) => [name, "int"]));

export const followersStats: WatchType<Settings> = {
  type: "followers_stats",
  summary:
    "Followers by category (influencers, projects, venture capital firms) whose number crossed a threshold.",
  schema,
  example: `type: followers_stats
accounts: [acme]
when: { influencers_count: "every 10", venture_capitals_count: ">= 5" }
schedule: { cron: "30 6 * * *", timezone: Europe/Berlin }`,
  body: { user: "user", stats: VALUES, previous: VALUES, crossed: "texts" },
  events: ["stats.changed"],
  endpoints: ["followers-stats"],
  include: { reply: false, quote: false, retweet: false },
  // The service computes these counts together with the scores, about once a day (docs/service.md
  // section 4).
  dataIntervalMs: DAY_MS,
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "followers-stats",
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: () => true,
  caveats: () => [
    "followers that the service has not categorised",
    "accounts the service has not indexed",
  ],
  costRequests: () => 1,
  read: statsMessage,
};
