/**
 * `new_followers`: who began following an account, found in the service's 7-day list of indexed
 * accounts or in the whole follower list.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import type { TargetState } from "../model/watch-store.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { FULL_READ_OF_WINDOW, indexedMode, sourceSchema } from "./indexed-schema.ts";
import { fullReadShape, placingOf, probingShape } from "./placing-schema.ts";
import { NEWEST_FIRST_CAVEAT } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z
    .strictObject({
      accounts: accountsSchema,
      source: sourceSchema("of followers"),
      verified_only: z
        .boolean()
        .default(false)
        .describe(
          "Reads the service's list of verified followers instead: for any account, and shorter than `all`.",
        ),
      ...probingShape,
      ...fullReadShape,
    })
    .refine((settings) => !settings.verified_only || settings.source !== "indexed", {
      message: "`verified_only` reads a list of its own: remove `source`",
      path: ["verified_only"],
    })
    .refine(...FULL_READ_OF_WINDOW),
);

type Settings = z.output<ReturnType<typeof schema>>;

const ENDPOINTS = {
  indexed: "new-followers-7d",
  all: "followers",
  verified: "verified-followers",
} as const;

const listOf = (settings: Settings, target: Pick<TargetState, "memory">): keyof typeof ENDPOINTS =>
  settings.verified_only ? "verified" : indexedMode(settings, target);

export const newFollowers: WatchType<Settings> = {
  type: "new_followers",
  summary: "New followers of the named accounts.",
  schema,
  example: `type: new_followers
accounts: [acme]
source: auto
where: 'user.followers_count >= 10000'
schedule: "7 */6 * * *"`,
  body: { user: "user", target: "user" },
  events: ["follower.added"],
  endpoints: ["new-followers-7d", "followers", "verified-followers", "info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: (settings, target) => ({
      joined: "follower.added",
      mode: listOf(settings, target) === "indexed" ? "window" : "newest",
    }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (settings, target) => ({
    endpoint: ENDPOINTS[listOf(settings, target)],
    params: { user_id: requireUserId(target) },
  }),
  needsIndex: (settings, target) => listOf(settings, target) === "indexed",
  withoutIndex: ({ source, verified_only: verifiedOnly }) =>
    source === "auto" && !verifiedOnly ? { mode: "all" } : undefined,
  caveats({ source, verified_only: verifiedOnly }) {
    if (verifiedOnly)
      return [
        `with \`verified_only\`, ${NEWEST_FIRST_CAVEAT("followers")}; a follower who gains the badge later is reported as new`,
      ];
    const indexed =
      "with the indexed list, followers that the service has not indexed are missed, and so are follows undone between two polls";
    const all = `with the whole list, ${NEWEST_FIRST_CAVEAT("followers")}`;
    return source === "indexed" ? [indexed] : source === "all" ? [all] : [indexed, all];
  },
  placing: placingOf,
  probeFields: ["followers_count"],
  costRequests: () => 1,
  read: rosterMessage,
};
