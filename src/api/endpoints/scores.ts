/** Analytics of the indexed subset of accounts. "Not indexed" is a 404, or a score of 0. */
import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { USER3, user3 } from "../inputs.ts";
import { followersStatsOutput, scoreChangesOutput, scoreOutput } from "../output/facts.ts";
import { followedList, topFollowerList } from "../output/users.ts";
import {
  readFollowedUser,
  readFollowersStats,
  readScore,
  readScoreChanges,
  readTopFollower,
} from "../normalise/score.ts";

const user = z.strictObject(user3);
const followed = { kind: "users", read: readFollowedUser } as const;
const ofUser = { method: "GET", input: user, exactlyOne: [USER3], billed: true } as const;

export const scoreEndpoints = {
  score: {
    ...ofUser,
    path: "/score",
    doc: "Influence score of an account; null when the service knows none.",
    output: scoreOutput,
    answer: { kind: "record", read: readScore },
  },
  "score-changes": {
    ...ofUser,
    path: "/score-changes",
    doc: "Change of the score over 7 and 30 days; null when the service knows none.",
    output: scoreChangesOutput,
    answer: { kind: "record", read: readScoreChanges },
  },
  "followers-stats": {
    ...ofUser,
    path: "/followers-stats",
    doc: "How many followers of which category; counts categorised ones only.",
    output: followersStatsOutput,
    answer: {
      kind: "record",
      read: readFollowersStats,
    },
  },
  "top-followers": {
    ...ofUser,
    path: "/top-followers",
    doc: "The 20 followers with the highest score.",
    output: topFollowerList,
    answer: { kind: "users", read: readTopFollower },
    pageSize: 20,
  },
  "top-following": {
    ...ofUser,
    path: "/top-following",
    doc: "The 20 followed accounts with the highest score.",
    output: followedList,
    answer: followed,
    pageSize: 20,
  },
  "new-followers-7d": {
    ...ofUser,
    path: "/new-followers-7d",
    doc: "Indexed accounts that began following within 7 days; a window that slides, not all followers.",
    output: followedList,
    answer: followed,
  },
  "new-following-7d": {
    ...ofUser,
    path: "/new-following-7d",
    doc: "Indexed accounts that the account began following within 7 days.",
    output: followedList,
    answer: followed,
  },
} as const satisfies Record<string, Endpoint>;
