/**
 * `membership`: a yes-or-no check of each account that is repeated: whether it follows an account,
 * retweeted, quoted or answered a tweet, or belongs to a community. Alerts when the answer changes.
 */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import type { AccountRef } from "../model/account.ts";
import type { JsonObject } from "../model/json.ts";
import { lazy } from "../model/lazy.ts";
import { membershipMessage } from "../render/messages/membership-message.ts";
import { accountSchema, accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { communitySchema } from "./community-schema.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const CHECKS = ["follow", "retweet", "quoted", "comment", "community_member"] as const;
type Check = (typeof CHECKS)[number];

/**
 * What each check is about, which endpoint answers it, and in which field of the response
 * (docs/service.md section 1).
 */
const ASKS: Readonly<
  Record<
    Check,
    {
      readonly about: "account" | "tweet" | "community";
      readonly endpoint: string;
      readonly field: string;
    }
  >
> = {
  follow: { about: "account", endpoint: "check-follow", field: "follow" },
  retweet: { about: "tweet", endpoint: "check-retweet", field: "retweet" },
  quoted: { about: "tweet", endpoint: "check-quoted", field: "status" },
  comment: { about: "tweet", endpoint: "check-comment", field: "commented" },
  community_member: { about: "community", endpoint: "check-community-member", field: "is_member" },
};

const schema = lazy(() =>
  z
    .strictObject({
      check: z
        .enum(CHECKS)
        .describe(
          "What is checked of `accounts`. `follow`: whether they follow `account`. `retweet`, `quoted`, `comment`: whether they retweeted, quoted or answered `tweet`. `community_member`: whether they belong to `community`.",
        ),
      accounts: accountsSchema,
      account: accountSchema.optional().describe("For `follow`: the account that they follow."),
      tweet: tweetSchema
        .optional()
        .describe(
          "For `retweet`, `quoted` and `comment`: the tweet, by id, in quotes, or by link.",
        ),
      community: communitySchema
        .optional()
        .describe("For `community_member`: the community's id, in quotes, or its link."),
    })
    .superRefine((settings, context) => {
      const wanted = ASKS[settings.check].about;
      for (const name of ["account", "tweet", "community"] as const) {
        const isThere = settings[name] !== undefined;
        if (name === wanted && !isThere)
          context.addIssue({
            code: "custom",
            path: ["check"],
            message: `\`check: ${settings.check}\` needs \`${name}\``,
          });
        if (name !== wanted && isThere)
          context.addIssue({
            code: "custom",
            path: [name],
            message: `\`check: ${settings.check}\` does not use \`${name}\`: remove it`,
          });
      }
    }),
);

type Settings = z.output<ReturnType<typeof schema>>;

/** Returns what the check is about, as the event's body shows it. */
function subjectOf({ account, tweet, community }: Settings): JsonObject {
  if (account !== undefined) return { account: account.name };
  return tweet === undefined ? { community: community ?? "" } : { tweet };
}

const subjectId = ({ account, tweet, community }: Settings): string =>
  account === undefined
    ? (tweet ?? community ?? "")
    : account.account.kind === "id"
      ? account.account.id
      : account.account.handle;

const rule = (settings: Settings): ReadingRule => {
  const { field, endpoint } = ASKS[settings.check];
  return {
    name: "membership",
    fields: [field],
    // The service cannot see what a protected account does, so its answer "no" is unreliable then.
    hiddenBy: "user_protected",
    constants: { check: settings.check, ...subjectOf(settings) },
    subject: `${settings.check} ${subjectId(settings)}`,
    ...(settings.account?.account.kind === "id" ? { target: settings.account.account.id } : {}),
    changes: { event: "membership.changed", fields: [field] },
    ...(endpoint === "check-retweet" ? { pagesUntil: field } : {}),
  };
};

const followed = (account: AccountRef | undefined): JsonObject =>
  account?.kind === "id" ? { user_id_1: account.id } : { username_1: account?.handle ?? "" };

function params(settings: Settings, userId: string): JsonObject {
  const { check, account, tweet, community } = settings;
  if (check === "follow") return { ...followed(account?.account), user_id_2: userId };
  return check === "community_member"
    ? { community_id: community ?? "", user_id: userId }
    : { tweet_link: tweet ?? "", user_id: userId };
}

const VALUES = {
  follow: "bool",
  retweet: "bool",
  status: "string",
  commented: "bool",
  is_member: "bool",
};

export const membership: WatchType<Settings> = {
  type: "membership",
  summary:
    "Accounts that begin or cease to follow an account, to retweet, quote or answer a tweet, or to belong to a community.",
  schema,
  example: `type: membership
check: follow
accounts: [alice, rival]
account: acme
schedule: "@every 1h"`,
  body: {
    user: "user",
    target: "user",
    membership: {
      check: "string",
      account: "string",
      tweet: "string",
      community: "string",
      ...VALUES,
    },
    previous: VALUES,
    changed: "texts",
  },
  events: ["membership.changed"],
  endpoints: CHECKS.map((check) => ASKS[check].endpoint),
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  mapAccounts: ({ account, ...settings }, replace) =>
    account === undefined ? settings : { ...settings, account: replace(account) },
  source: (settings, target) => ({
    endpoint: ASKS[settings.check].endpoint,
    params: params(settings, requireUserId(target)),
  }),
  caveats: ({ check }) => [
    "one request per account and poll",
    ...(check === "comment" || check === "community_member"
      ? []
      : ["protected accounts: the service cannot see what they do"]),
    ...(check === "retweet"
      ? [
          "a request searches a hundred retweets: `max_pages` limits how many are searched, and beyond that the answer is unknown",
        ]
      : []),
  ],
  costRequests: () => 1,
  read: membershipMessage,
};
