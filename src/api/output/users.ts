/**
 * Schemas of the profiles that the service sends: the full profile, the reduced one, and the two
 * kinds in analytics. normalise/user.ts reads the data.
 */
import { z } from "zod";
import { integer, digits, listOutput, pageOutput, textsOrNull, timeText } from "./atoms.ts";

const reduced = {
  id: digits,
  username: z.string().describe("Current handle, without the leading @"),
  display_name: z.string(),
  profile_image_url: z.string(),
  protected: z.boolean().describe("Tweets are private"),
  verified: z.boolean(),
};

const known = () => ({
  ...reduced,
  description: z.string().describe("Profile bio text"),
  bio_urls: textsOrNull,
  can_dm: z.boolean().describe("Account accepts direct messages"),
  created_at: timeText,
  favourites_count: integer.describe("Tweets this user has liked"),
  followers_count: integer,
  followings_count: integer,
  media_count: integer,
  tweets_count: integer,
  pinned_tweet_ids: textsOrNull,
  possibly_sensitive: z.boolean(),
  profile_background_image_url: z.string(),
});

/** A full profile (api-v3.md, "User"). */
export const userOutput = z.lazy(() =>
  z.looseObject({ ...known(), location: z.string() }).meta({ id: "User" }),
);

/** A member of a community (api-v3.md, "Reduced user"). */
const memberOutput = z.lazy(() => z.looseObject(reduced).meta({ id: "ReducedUser" }));

/**
 * A profile in a list of follows (api-v3.md, "Followed-user entry"). It has no `location`, but the
 * date of the follow.
 */
const followedOutput = z.lazy(() =>
  z
    .looseObject({ ...known(), location: z.never().optional(), followerDate: timeText })
    .meta({ id: "FollowedUser" }),
);

/** An entry of /top-followers (docs/service.md, section 1). */
const topFollowerOutput = z.lazy(() => {
  const {
    description,
    created_at,
    can_dm,
    followers_count,
    followings_count,
    tweets_count,
    profile_background_image_url,
  } = known();
  return z
    .looseObject({
      ...reduced,
      description,
      created_at,
      can_dm,
      followers_count,
      followings_count,
      tweets_count,
      profile_background_image_url,
      score: z.number(),
    })
    .meta({ id: "TopFollower" });
});

export const userPage = pageOutput("users", userOutput);
export const userList = listOutput("users", userOutput);
export const memberPage = pageOutput("users", memberOutput);
export const followedList = listOutput("users", followedOutput);
export const topFollowerList = listOutput("users", topFollowerOutput);
