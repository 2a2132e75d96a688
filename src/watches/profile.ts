/**
 * `profile`: what accounts say about themselves, and their counts. A hundred accounts share a
 * request.
 */
import { z } from "zod";
import { BATCH_SIZE } from "../model/batch.ts";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { profileMessage } from "../render/messages/profile-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const FIELDS = [
  "display_name",
  "username",
  "description",
  "profile_image_url",
  "protected",
  "verified",
] as const;
const MORE_FIELDS = ["location", "profile_background_image_url"] as const;
const COUNTS = {
  followers_count: "Followers",
  followings_count: "Accounts followed",
  tweets_count: "Tweets posted",
  media_count: "Media posted",
  favourites_count: "Tweets liked",
};

const schema = lazy(() =>
  z
    .strictObject({
      accounts: accountsSchema,
      fields: z
        .array(z.enum([...FIELDS, ...MORE_FIELDS]))
        .default([...FIELDS])
        .describe("Fields of the profile whose changes raise alerts; `[]` means none."),
      when: whenSchema(COUNTS).optional().describe(WHEN_TEXT),
    })
    .refine(({ fields, when }) => fields.length > 0 || when !== undefined, {
      message: "nothing to report: name fields, or a count under when",
      path: ["fields"],
    }),
);

type Settings = z.output<ReturnType<typeof schema>>;

function rule({ fields, when }: Settings): ReadingRule {
  const thresholds = thresholdsOf(when);
  return {
    name: "user",
    isWhole: true,
    // Counts change all the time, so only those with a threshold are remembered.
    fields: [...FIELDS, ...MORE_FIELDS, ...thresholds.map(({ name }) => name)],
    changes: { event: "profile.changed", fields },
    crossing: { event: "profile.threshold", thresholds, rearm: REARM_SHARE },
  };
}

const TEXTS = [
  "display_name",
  "username",
  "description",
  "profile_image_url",
  "location",
  "profile_background_image_url",
];
const PREVIOUS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TEXTS.map((name) => [name, "string"])),
  protected: "bool",
  verified: "bool",
  ...Object.fromEntries(Object.keys(COUNTS).map((name) => [name, "int"])),
};

export const profile: WatchType<Settings> = {
  type: "profile",
  summary:
    "Profiles that changed (handle, name, bio, picture, protection, badge), and counts that crossed a threshold.",
  schema,
  example: `type: profile
accounts: [acme, rival]
when: { followers_count: "every 1000" }
schedule: "@every 5m"`,
  body: { user: "user", previous: PREVIOUS, crossed: "texts", changed: "texts" },
  events: ["profile.changed", "profile.threshold"],
  endpoints: ["info-batch"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "info-batch",
    params: {},
    batch: { param: "user_ids", value: requireUserId(target), size: BATCH_SIZE },
  }),
  caveats: () => [
    "a change that was undone between two polls",
    "an account that the service no longer shows (protected, suspended, deleted) is reported to `ops` as `target.unavailable`, not as a change",
  ],
  costRequests: () => 1,
  read: profileMessage,
};
