/**
 * `new_following`: which accounts the named accounts began following, found in the service's 7-day
 * list of indexed accounts or in the whole list.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
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
      source: sourceSchema("of whom the account follows"),
      ...probingShape,
      ...fullReadShape,
    })
    .refine(...FULL_READ_OF_WINDOW),
);

type Settings = z.output<ReturnType<typeof schema>>;

export const newFollowing: WatchType<Settings> = {
  type: "new_following",
  summary: "Whom the named accounts start following.",
  schema,
  example: `type: new_following
accounts: [acme, rival]
schedule: "@every 6h"`,
  body: { user: "user", target: "user" },
  events: ["following.added"],
  endpoints: ["new-following-7d", "follows", "info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: (settings, target) => ({
      joined: "following.added",
      mode: indexedMode(settings, target) === "indexed" ? "window" : "newest",
    }),
  },
  targets: ({ accounts }) => accountTargets(accounts),
  source(settings, target) {
    const endpoint = indexedMode(settings, target) === "indexed" ? "new-following-7d" : "follows";
    return { endpoint, params: { user_id: requireUserId(target) } };
  },
  needsIndex: (settings, target) => indexedMode(settings, target) === "indexed",
  withoutIndex: ({ source }) => (source === "auto" ? { mode: "all" } : undefined),
  caveats({ source }) {
    const indexed =
      "with the indexed list, accounts that the service has not indexed are missed, and so are follows undone between two polls";
    const all = `with the whole list, ${NEWEST_FIRST_CAVEAT("accounts")}`;
    return source === "indexed" ? [indexed] : source === "all" ? [all] : [indexed, all];
  },
  placing: placingOf,
  probeFields: ["followings_count"],
  costRequests: () => 1,
  read: rosterMessage,
};
