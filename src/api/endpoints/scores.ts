/**
 * Endpoints for analytics, which cover only indexed accounts. For other accounts the service
 * answers 404, or a score of 0.
 */
import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { ACCOUNT_INPUTS, accountInputs } from "../inputs.ts";
import { followersStatsOutput, scoreChangesOutput, scoreOutput } from "../output/facts.ts";
import { followedList, topFollowerList } from "../output/users.ts";
import {
  readFollowedUser,
  readFollowersStats,
  readScore,
  readScoreChanges,
  readTopFollower,
} from "../normalise/score.ts";

const user = z.strictObject(accountInputs);
const followed = { kind: "users", read: readFollowedUser } as const;
const accountRow = {
  method: "GET",
  input: user,
  exactlyOne: [ACCOUNT_INPUTS],
  billed: true,
} as const;

export const scoreEndpoints = {
  score: {
    ...accountRow,
    path: "/score",
    doc: "Influence score of an account; null when the service knows none.",
    output: scoreOutput,
    answer: { kind: "record", read: readScore },
  },
  "score-changes": {
    ...accountRow,
    path: "/score-changes",
    doc: "Change of the score over 7 and 30 days; null when the service knows none.",
    output: scoreChangesOutput,
    answer: { kind: "record", read: readScoreChanges },
  },
  "followers-stats": {
    ...accountRow,
    path: "/followers-stats",
    doc: "How many followers of which category; counts categorised ones only.",
    output: followersStatsOutput,
    answer: {
      kind: "record",
      read: readFollowersStats,
    },
  },
  "top-followers": {
    ...accountRow,
    path: "/top-followers",
    doc: "The 20 followers with the highest score.",
    output: topFollowerList,
    answer: { kind: "users", read: readTopFollower },
    pageSize: 20,
  },
  "top-following": {
    ...accountRow,
    path: "/top-following",
    doc: "The 20 followed accounts with the highest score.",
    output: followedList,
    answer: followed,
    pageSize: 20,
  },
  "new-followers-7d": {
    ...accountRow,
    path: "/new-followers-7d",
    doc: "Indexed accounts that began following within 7 days; a window that slides, not all followers.",
    output: followedList,
    answer: followed,
  },
  "new-following-7d": {
    ...accountRow,
    path: "/new-following-7d",
    doc: "Indexed accounts that the account began following within 7 days.",
    output: followedList,
    answer: followed,
  },
} as const satisfies Record<string, Endpoint>;
