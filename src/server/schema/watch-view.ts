/** The JSON of a watch's state, which is in `/api/v1/status` and `/api/v1/watches`. */
import { z } from "zod";
import { TARGET_STATUSES } from "../../model/watch-store.ts";
import { slowedViewSchema } from "./budget-view.ts";
import { list, nextSchema, prioritySchema } from "./schema.ts";

export const targetViewSchema = z
  .object({
    name: z.string().describe("The target as written in the YAML."),
    status: z.enum(TARGET_STATUSES),
    reason: z.string().describe("Empty if the status is `ok` or `pending`."),
  })
  .meta({ id: "Target" });
export type TargetView = z.infer<typeof targetViewSchema>;

export const memberListViewSchema = z
  .object({
    target: z.string().describe("The target as written in the YAML."),
    members: z
      .number()
      .nullable()
      .describe(
        "The number of members according to the account's profile or the last complete read; null if unknown.",
      ),
    first_read_members: z
      .number()
      .nullable()
      .describe(
        "Members that the first read has seen; null once it is complete, or if there will be none.",
      ),
    tells_newcomers: z
      .boolean()
      .describe("Whether new members are reported before the first read is complete."),
    whole_read_every_seconds: z
      .number()
      .nullable()
      .describe(
        "Seconds between complete reads after the first one; 0 if every poll continues a complete read, null if there are no more complete reads.",
      ),
  })
  .meta({
    id: "MemberList",
    description:
      "A member list that takes more than one poll to read, while it is read for the first time, or if it is not read whole every day.",
  });
export type MemberListView = z.infer<typeof memberListViewSchema>;

const firstReadViewSchema = z
  .object({
    targets_left: z.number().describe("Targets whose first read is not complete."),
    pages: z
      .number()
      .nullable()
      .describe("Pages that the running first reads have read; null if none runs."),
  })
  .meta({
    id: "FirstRead",
    description:
      "The first read of what a watch covers. By default it raises no alerts, and there are none until it is complete.",
  });

const enrichingViewSchema = z
  .object({
    waiting: z.number(),
    oldest_at: z
      .string()
      .nullable()
      .describe("When the oldest waiting event was found; null if none waits."),
    error: z.string().describe("Why an attempt failed; empty if none did."),
    failing_since: z
      .string()
      .nullable()
      .describe(
        "Since when no request for an enrichment was answered; null while there are answers.",
      ),
  })
  .meta({ id: "Enriching" });

export const watchViewSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    sink: z
      .string()
      .describe("Where the watch's alerts go, for people: `#brand`, `slack-brand and terminal`."),
    priority: prioritySchema,
    paused: z.boolean(),
    schedule: z
      .string()
      .describe("The schedule as written: `@every 5m`, or a cron pattern with its time zone."),
    targets: list(targetViewSchema),
    member_lists: list(memberListViewSchema).describe(
      "Long member lists about which people should know.",
    ),
    first_read: firstReadViewSchema
      .nullable()
      .describe(
        "The first read; null once it is complete, and while the watch is paused. A long member list whose own first read is under way is in `member_lists`.",
      ),
    known_items: z
      .number()
      .describe(
        "Items with a verdict so far; for a watch of values, targets whose first value is known.",
      ),
    last_poll_at: z.string().nullable(),
    next_poll_at: z.string().nullable().describe("The next poll by the replica that answers."),
    polled_by: list(z.string()).describe("Names of other replicas that poll the watch."),
    requests_spent: z.number().describe("Billed requests of this period."),
    problem: z.string().describe("Why the last poll failed; empty if it did not."),
    slowed: slowedViewSchema.nullable().describe("Null unless the quota slows the watch down."),
    enriching: enrichingViewSchema
      .nullable()
      .describe(
        "Events that wait for their enrichment, and why there is no answer; null if none waits and the last answer was good.",
      ),
    not_relevant: z
      .object({
        marked: z.number(),
        alerts: z.number().describe("All alerts of the watch in the same time."),
        top_author: z.string().describe("The author of most of them; empty if they have none."),
        by_top_author: z.number(),
      })
      .nullable()
      .describe("The alerts of the last seven days that people marked; null if there are none."),
  })
  .meta({ id: "Watch" });
export type WatchView = z.infer<typeof watchViewSchema>;

export const watchesViewSchema = z
  .object({ watches: list(watchViewSchema), next: nextSchema })
  .meta({ id: "Watches" });
