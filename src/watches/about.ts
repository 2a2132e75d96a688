/**
 * `about`: facts about accounts that their profiles do not show: the country, and how often the
 * handle was changed.
 */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { aboutMessage } from "../render/messages/about-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ accounts: accountsSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

const rule = (): ReadingRule => ({
  name: "about",
  fields: ["country", "username_change_count", "last_username_change_at"],
  // An empty text means that the service sent no value, which is not a change.
  unknown: [""],
  freshProfile: true,
  changes: { event: "about.changed", fields: ["country"] },
  // The count only increases. If the service sends none, it counts as 0, which is not a step.
  crossing: {
    event: "about.changed",
    thresholds: [{ name: "username_change_count", op: "every", value: 1 }],
    rearm: 0,
  },
});

const VALUES = {
  country: "string",
  username_change_count: "int",
  last_username_change_at: "string",
};

export const about: WatchType<Settings> = {
  type: "about",
  summary: "Accounts whose country changed, or that changed their handle.",
  schema,
  example: `type: about
accounts: [acme, rival]
schedule: "@every 6h"`,
  body: { user: "user", about: VALUES, previous: VALUES, crossed: "texts", changed: "texts" },
  events: ["about.changed"],
  endpoints: ["about"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "about",
    params: { user_id: requireUserId(target) },
  }),
  caveats: () => [
    "one request per account and poll: `profile` reports a rename, with the old handle, for a hundredth of that",
  ],
  costRequests: () => 1,
  read: aboutMessage,
};
