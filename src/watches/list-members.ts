/** `list_members`: who is put on a public list and who is taken off it. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { listSchema } from "./list-schema.ts";
import { WHOLE_ROSTER_CAVEATS } from "./roster-caveats.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ list: listSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

export const listMembers: WatchType<Settings> = {
  type: "list_members",
  summary: "Who is added to a public list or removed from it.",
  schema,
  example: `type: list_members
list: "1388742069157900291"
schedule: "@every 6h"`,
  body: { user: "user", public_list: { id: "string" } },
  events: ["member.added", "member.removed"],
  endpoints: ["list-members"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: ({ list }) => ({
      joined: "member.added",
      left: "member.removed",
      mode: "whole",
      about: { public_list: { id: list } },
    }),
  },
  targets: ({ list }) => [{ key: list, name: list }],
  source: ({ list }) => ({ endpoint: "list-members", params: { list_id: list } }),
  caveats: () => [
    "a member that is suspended or protected is reported as having left",
    ...WHOLE_ROSTER_CAVEATS,
  ],
  costRequests: () => 1,
  read: rosterMessage,
};
