/** Endpoints for communities, lists, Spaces and trends. */
import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  id,
  link,
  linkOrId,
  numberCursor,
  order,
  query,
  spaceId,
  textCursor,
  tweets,
  ACCOUNT_INPUTS,
  accountInputs,
  users,
  wholeNumber,
} from "../inputs.ts";
import { readMemberCheck } from "../normalise/check.ts";
import { readCommunity } from "../normalise/community.ts";
import { readSpace } from "../normalise/space.ts";
import { readTrends } from "../normalise/trend.ts";
import { memberCheckOutput } from "../output/facts.ts";
import { communityOutput, spaceOutput, trendList } from "../output/places.ts";
import { tweetPage } from "../output/tweets.ts";
import { memberPage, userPage } from "../output/users.ts";

export const placeEndpoints = {
  "community-info": {
    method: "POST",
    path: "/community-info",
    doc: "A community; community_id wins when both are given.",
    input: z.strictObject({
      community_id: linkOrId.optional(),
      community_link: linkOrId.optional(),
    }),
    atLeastOne: [["community_id", "community_link"]],
    output: communityOutput,
    answer: {
      kind: "record",
      read: readCommunity,
    },
    billed: true,
  },
  "community-members": {
    method: "POST",
    path: "/community-members",
    doc: "Members of a community, with few fields each.",
    input: z.strictObject({ community_link: linkOrId }),
    output: memberPage,
    answer: users,
    cursor: textCursor,
    billed: true,
  },
  "community-tweets": {
    method: "POST",
    path: "/community-tweets",
    doc: "Tweets of a community, latest first unless popular is asked for; a pinned one may be on every page.",
    input: z.strictObject({ community_id: linkOrId, order: order.optional() }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  "community-search-tweets": {
    method: "POST",
    path: "/community-search-tweets",
    doc: "Tweets of a community that match a query.",
    input: z.strictObject({ community_link: linkOrId, query, order: order.optional() }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    billed: true,
  },
  "check-community-member": {
    method: "POST",
    path: "/check-community-member",
    doc: "Whether a user is a member of a community.",
    input: z.strictObject({ community_id: linkOrId, ...accountInputs }),
    exactlyOne: [ACCOUNT_INPUTS],
    output: memberCheckOutput,
    answer: { kind: "record", read: readMemberCheck },
    billed: true,
  },
  "list-tweets": {
    method: "GET",
    path: "/list-tweets",
    doc: "Tweets of a list's members; one list covers up to 5,000 accounts.",
    input: z.strictObject({ list_id: id }),
    output: tweetPage,
    answer: tweets,
    cursor: textCursor,
    pageSize: 20,
    billed: true,
  },
  "list-members": {
    method: "GET",
    path: "/list-members",
    doc: "Members of a list.",
    input: z.strictObject({ list_id: id }),
    output: userPage,
    answer: users,
    cursor: numberCursor,
    billed: true,
  },
  "list-followers": {
    method: "GET",
    path: "/list-followers",
    doc: "Followers of a list.",
    input: z.strictObject({ list_link: linkOrId }),
    output: userPage,
    answer: users,
    cursor: numberCursor,
    billed: true,
  },
  spaces: {
    method: "GET",
    path: "/spaces",
    doc: "A live audio room, by id or link.",
    input: z.strictObject({ id: spaceId.optional(), link: link.optional() }),
    exactlyOne: [["id", "link"]],
    output: spaceOutput,
    answer: { kind: "record", read: readSpace },
    billed: true,
  },
  trends: {
    method: "GET",
    path: "/trends",
    doc: "Trends of a place, by WOEID.",
    input: z.strictObject({ woeid: wholeNumber }),
    output: trendList,
    answer: { kind: "record", read: readTrends },
    billed: true,
  },
} as const satisfies Record<string, Endpoint>;
