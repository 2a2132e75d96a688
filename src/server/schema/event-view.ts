/** The JSON of past events with the state of their deliveries. */
import { z } from "zod";
import { markViewSchema } from "./mark-view.ts";
import { deliveryOutcomeSchema, jsonObjectSchema, list } from "./schema.ts";
import { deliveryViewSchema } from "./sink-view.ts";

export const eventLineSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    watch: z.string().describe("The watch id; empty for the daemon's own events."),
    title: z.string().describe("A line for people."),
    text: z.string().describe("The first words of its text; may be empty."),
    url: z.string().nullable(),
    occurred_at: z.string(),
    detected_at: z.string(),
    deliveries: list(deliveryViewSchema),
    acknowledged: markViewSchema
      .nullable()
      .describe("The person who acknowledged it; null if nobody did."),
  })
  .meta({ id: "EventLine" });
export type EventLine = z.infer<typeof eventLineSchema>;

export const eventEntrySchema = z
  .object({
    type: z
      .string()
      .describe("The event's type, time of detection and data, as in the webhook body."),
    timestamp: z.string(),
    title: z.string().describe("A line for people."),
    text: z.string().describe("The text for people; may be empty."),
    url: z.string().nullable(),
    author: z
      .string()
      .describe("The handle of the author without @; empty if nobody wrote or did it."),
    deliveries: list(
      z.object({
        sink: z.string(),
        state: deliveryOutcomeSchema,
      }),
    ),
    acknowledged: markViewSchema
      .nullable()
      .describe("The person who acknowledged it; null if nobody did."),
    not_relevant: markViewSchema
      .nullable()
      .describe("The person who marked it as not relevant; null if nobody did."),
    data: jsonObjectSchema,
  })
  .meta({ id: "EventEntry", description: "A past event with the state of its deliveries." });
export type EventEntry = z.infer<typeof eventEntrySchema>;

export const eventsViewSchema = z
  .object({
    events: list(eventEntrySchema).describe("Newest first."),
    next: z.string().nullable().describe("The `before` of the next request; null at the end."),
    searched_to: z
      .string()
      .nullable()
      .describe("The time back to which was searched; null if it was searched to its end."),
  })
  .meta({ id: "Events" });
export type EventsView = z.infer<typeof eventsViewSchema>;
