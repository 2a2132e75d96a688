/**
 * `space`: a live audio room that is announced, live, ended, renamed or moved, or whose listeners
 * crossed a threshold.
 */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { spaceMessage } from "../render/messages/space-message.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import type { WatchType } from "./watch-type.ts";

const SPACE = /^(?:https?:\/\/\S+\/)?([0-9A-Za-z]{5,30})\/?(?:[?#].*)?$/;

const schema = lazy(() =>
  z.strictObject({
    space: z
      .string()
      .transform((text) => SPACE.exec(text.trim())?.[1] ?? "")
      .refine((id) => id !== "", 'not a Space: write its id ("1YqKDqDXAbwKV") or its link')
      .describe("The Space's id, or its link."),
    when: whenSchema({ listeners: "Live listeners", participants: "Everyone in it so far" })
      .optional()
      .describe(WHEN_TEXT),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when }: Settings): ReadingRule => ({
  name: "space",
  fields: ["id", "title", "state", "scheduled_start", "listeners", "participants"],
  paths: { listeners: "stats.total_live_listeners", participants: "participants.total" },
  unknown: [""],
  account: "creator",
  changes: { event: "space.changed", fields: ["state", "title", "scheduled_start"] },
  crossing: { event: "space.changed", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
});

const VALUES = {
  id: "string",
  title: "string",
  state: "string",
  scheduled_start: "string",
  listeners: "int",
  participants: "int",
};

export const space: WatchType<Settings> = {
  type: "space",
  summary:
    "A Space that went live, ended, was renamed or rescheduled, or whose listeners crossed a threshold.",
  schema,
  example: `type: space
space: "https://x.com/i/spaces/1YqKDqDXAbwKV"
when: { listeners: ">= 100" }
schedule: "* * * * *"`,
  body: { user: "user", space: VALUES, previous: VALUES, crossed: "texts", changed: "texts" },
  events: ["space.changed"],
  endpoints: ["spaces"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ space: id }) => [{ key: id, name: id }],
  source: ({ space: id }) => ({ endpoint: "spaces", params: { id } }),
  caveats: () => [
    "the names of a Space's states are not documented: `state` is reported as the service writes it",
    "a Space that has ended is polled until it is removed from the file",
  ],
  costRequests: () => 1,
  read: spaceMessage,
};
