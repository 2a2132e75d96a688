/** `list_followers`: who follows a public list. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { listSchema } from "./list-schema.ts";
import { WHOLE_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ list: listSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

export const listFollowers: WatchType<Settings> = {
  type: "list_followers",
  summary: "Who starts or stops following a public list.",
  schema,
  example: `type: list_followers
list: "1388742069157900291"
schedule: "@every 6h"`,
  body: { user: "user", public_list: { id: "string" } },
  events: ["follower.added", "follower.removed"],
  endpoints: ["list-followers"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: ({ list }) => ({
      joined: "follower.added",
      left: "follower.removed",
      mode: "whole",
      about: { public_list: { id: list } },
    }),
  },
  targets: ({ list }) => [{ key: list, name: list }],
  // This endpoint has `list_link`, the other two endpoints of lists have `list_id` (docs/service.md
  // section 1).
  source: ({ list }) => ({ endpoint: "list-followers", params: { list_link: list } }),
  caveats: () => WHOLE_ROSTER_CAVEATS,
  costRequests: () => 1,
  read: rosterMessage,
};
