/** Endpoints for profiles, for who follows whom, and for facts about an account. */
import { z } from "zod";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  batchOf,
  id,
  numberCursor,
  profiles,
  query,
  textCursor,
  ACCOUNT_INPUTS,
  accountInputs,
  username,
  users,
} from "../inputs.ts";
import { readAbout } from "../normalise/account.ts";
import { readFollowCheck } from "../normalise/check.ts";
import { userRecord } from "../normalise/answer-object.ts";
import { aboutOutput, followCheckOutput } from "../output/facts.ts";
import { userList, userOutput, userPage } from "../output/users.ts";

const user = z.strictObject(accountInputs);

export const userEndpoints = {
  info: {
    method: "GET",
    path: "/info",
    doc: "One profile.",
    input: user,
    exactlyOne: [ACCOUNT_INPUTS],
    output: userOutput,
    answer: { kind: "record", read: userRecord },
    billed: true,
  },
  "info-batch": {
    method: "GET",
    path: "/info-batch",
    doc: "Up to 100 profiles for one billed request; accounts that do not exist are absent.",
    input: z.strictObject({
      usernames: batchOf(username, BATCH_SIZE).optional(),
      user_ids: batchOf(id, BATCH_SIZE).optional(),
    }),
    exactlyOne: [["usernames", "user_ids"]],
    output: userList,
    answer: profiles,
    batch: { params: ["usernames", "user_ids"], size: BATCH_SIZE },
    billed: true,
  },
  about: {
    method: "GET",
    path: "/about",
    doc: "Country and username changes of an account.",
    input: user,
    exactlyOne: [ACCOUNT_INPUTS],
    output: aboutOutput,
    answer: { kind: "record", read: readAbout },
    billed: true,
  },
  followers: {
    method: "GET",
    path: "/followers",
    doc: "Who follows an account, up to 200 profiles a page.",
    input: user,
    exactlyOne: [ACCOUNT_INPUTS],
    output: userPage,
    answer: users,
    cursor: numberCursor,
    pageSize: 200,
    billed: true,
  },
  follows: {
    method: "GET",
    path: "/follows",
    doc: "Whom an account follows, up to 200 profiles a page.",
    input: user,
    exactlyOne: [ACCOUNT_INPUTS],
    output: userPage,
    answer: users,
    cursor: numberCursor,
    pageSize: 200,
    billed: true,
  },
  "verified-followers": {
    method: "GET",
    path: "/verified-followers",
    doc: "Verified accounts that follow an account.",
    input: user,
    exactlyOne: [ACCOUNT_INPUTS],
    output: userPage,
    answer: users,
    cursor: numberCursor,
    billed: true,
  },
  "search-users": {
    method: "POST",
    path: "/search-users",
    doc: "Profiles that match a text.",
    input: z.strictObject({ query }),
    output: userPage,
    answer: users,
    cursor: textCursor,
    billed: true,
  },
  "check-follow": {
    method: "POST",
    path: "/check-follow",
    doc: "Whether user 2 follows user 1.",
    input: z.strictObject({
      user_link_1: accountInputs.user_link,
      username_1: accountInputs.username,
      user_id_1: accountInputs.user_id,
      user_link_2: accountInputs.user_link,
      username_2: accountInputs.username,
      user_id_2: accountInputs.user_id,
    }),
    exactlyOne: [
      ["user_link_1", "username_1", "user_id_1"],
      ["user_link_2", "username_2", "user_id_2"],
    ],
    output: followCheckOutput,
    answer: { kind: "record", read: readFollowCheck },
    billed: true,
  },
} as const satisfies Record<string, Endpoint>;
