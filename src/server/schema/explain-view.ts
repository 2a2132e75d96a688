/**
 * The JSON of `/api/v1/explain/<item>`: the stored verdicts on an item and the deliveries of its
 * alerts.
 */
import { z } from "zod";
import { VERDICTS } from "../../model/event.ts";
import { markViewSchema } from "./mark-view.ts";
import { pathViewSchema } from "./path-view.ts";
import { list } from "./schema.ts";
import { waitViewSchema } from "./sink-view.ts";

const unseenLineSchema = z
  .object({
    watch: z.string(),
    target: z
      .string()
      .describe("The target as written in the YAML; empty if the reason concerns the whole watch."),
    could_see: z.boolean().describe("Whether this watch could have seen the item, or still can."),
    reason: z.string().describe("Why it did not see the item."),
  })
  .meta({ id: "UnseenLine" });
export type UnseenLine = z.infer<typeof unseenLineSchema>;

const unseenViewSchema = z
  .object({
    posted_at: z
      .string()
      .nullable()
      .describe("When the tweet was posted, according to its id; null if the item is no tweet."),
    is_forgotten: z.boolean().describe("Whether verdicts of that time are no longer kept."),
    watches: list(unseenLineSchema).describe(
      "The watches, those that could have seen the item first.",
    ),
    more: z.number().describe("How many targets are left out: only the first 500 are shown."),
  })
  .meta({ id: "Unseen" });
export type UnseenView = z.infer<typeof unseenViewSchema>;

export const explainDeliverySchema = pathViewSchema
  .partial()
  .extend({
    sink: z.string(),
    state: z
      .string()
      .describe("The state: waiting, held, sealed, sent, dead, muted, silenced or duplicate."),
    message_id: z.string().nullable(),
    attempts: z.number(),
    sent_at: z.string().nullable(),
    ref: z.string().nullable().describe("The sink's own id of the message."),
    detail: z.string(),
    wait: waitViewSchema.nullable().describe("Why it waits; null if it does not."),
  })
  .meta({ id: "ExplainDelivery" });
export type ExplainDelivery = z.infer<typeof explainDeliverySchema>;

export const explainLineSchema = z
  .object({
    watch: z.string(),
    target: z.string(),
    item_id: z.string(),
    verdict: z.enum(VERDICTS),
    detail: z.string(),
    occurred_at: z.string(),
    seen_at: z.string(),
    event: z
      .object({
        id: z.string(),
        type: z.string(),
      })
      .nullable(),
    acknowledged: markViewSchema
      .nullable()
      .describe("The person who acknowledged it; null if nobody did."),
    deliveries: list(explainDeliverySchema),
  })
  .meta({ id: "ExplainLine" });
export type ExplainLine = z.infer<typeof explainLineSchema>;

export const explainViewSchema = z
  .object({
    item: z.string().describe("The item as it was asked for."),
    item_id: z.string().nullable(),
    verdicts: list(explainLineSchema).describe(
      "A line for each watch and target that ever saw the item; empty if none did.",
    ),
    first_reads: list(z.string()).describe(
      "If there is no verdict: watches whose first read is not complete and may still find the item.",
    ),
    unseen: unseenViewSchema
      .nullable()
      .describe(
        "If there is no verdict and the item has an id: the reason for each watch. Otherwise null.",
      ),
  })
  .meta({ id: "Explain" });
export type ExplainView = z.infer<typeof explainViewSchema>;
