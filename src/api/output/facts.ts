/**
 * Schemas of the small answers that the service sends: lookups, checks, scores, the key's quota.
 */
import { z } from "zod";
import { integer, digits, timeText, withCursor } from "./atoms.ts";
import { tweetOutput } from "./tweets.ts";

/**
 * The answer of /about (api-v3.md, "Account about"). The time is null for an account that was never
 * renamed.
 */
export const aboutOutput = z.lazy(() =>
  z
    .looseObject({
      country: z.string().nullable(),
      last_username_change_at: timeText.or(z.literal("")).nullable(),
      username_change_count: integer,
    })
    .meta({ id: "AccountAbout" }),
);

export const handleOutput = z.lazy(() =>
  z.looseObject({ handle: z.string().describe("The current handle") }).meta({ id: "Handle" }),
);
export const idOutput = z.lazy(() => z.looseObject({ id: digits }).meta({ id: "ResolvedId" }));

/**
 * The answer of /check-follow. docs/service.md, section 1 shows its shape and those of the other
 * checks below.
 */
export const followCheckOutput = z.lazy(() =>
  z
    .looseObject({
      follow: z.boolean().describe("Whether user 2 follows user 1"),
      user_protected: z.boolean(),
    })
    .meta({ id: "FollowCheck" }),
);
export const commentCheckOutput = z.lazy(() =>
  z
    .looseObject({ commented: z.boolean(), tweet: tweetOutput.nullish() })
    .meta({ id: "CommentCheck" }),
);
export const quoteCheckOutput = z.lazy(() =>
  z
    .looseObject({
      status: z.enum(["quoted", "retweet", "not_found"]),
      date: z
        .string()
        .regex(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/)
        .nullish()
        .describe("`2024-04-27 06:43:09`, UTC"),
      text: z.string().nullish(),
      user_protected: z.boolean(),
    })
    .meta({ id: "QuoteCheck" }),
);
export const retweetCheckOutput = z.lazy(() =>
  z
    .looseObject({ retweet: z.boolean(), user_protected: z.boolean(), ...withCursor })
    .meta({ id: "RetweetCheck" }),
);
export const memberCheckOutput = z.lazy(() =>
  z.looseObject({ is_member: z.boolean() }).meta({ id: "MemberCheck" }),
);

export const scoreOutput = z.lazy(() => z.looseObject({ score: z.number() }).meta({ id: "Score" }));
/**
 * The answer of /score-changes (api-v3.md, "Score changes"). The service has also sent numbers with
 * fractions.
 */
export const scoreChangesOutput = z.lazy(() =>
  z
    .looseObject({ week_delta: z.number().nullable(), month_delta: z.number().nullable() })
    .meta({ id: "ScoreChanges" }),
);
export const followersStatsOutput = z.lazy(() =>
  z
    .looseObject({
      followers_count: integer,
      influencers_count: integer,
      projects_count: integer,
      venture_capitals_count: integer,
      user_protected: z.boolean(),
    })
    .meta({ id: "FollowersStats" }),
);

export const keyUsageOutput = z.lazy(() =>
  z
    .looseObject({
      key_requests: integer,
      remaining_requests: integer,
      total_requests: integer,
      valid_until: z.string(),
    })
    .meta({ id: "KeyUsage" }),
);
