/** The JSON of `/api/v1/dead` and of the routes that act on dead letters. */
import { z } from "zod";
import { list } from "./schema.ts";

const deadAlertSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    watch: z.string().describe("Empty for the daemon's own events."),
    title: z.string(),
    url: z.string().nullable(),
  })
  .meta({ id: "DeadAlert" });

export const deadLetterViewSchema = z
  .object({
    message_id: z.string(),
    sink: z.string(),
    cause: z
      .string()
      .describe(
        "Why the message was given up: `expired` (retry_for ended), `refused …` (the sink will never accept it, with its code) or `unrendered`.",
      ),
    error: z.string(),
    given_up_at: z.string(),
    attempts: z.number(),
    alerts: list(deadAlertSchema),
  })
  .meta({ id: "DeadLetter" });
export type DeadLetterView = z.infer<typeof deadLetterViewSchema>;

export const deadGroupViewSchema = z
  .object({
    sink: z.string(),
    cause: z.string(),
    messages: z.number(),
    alerts: z.number(),
    text: z.string().describe("A sentence for people."),
    configured: z
      .boolean()
      .describe(
        "False if the configuration has no sink of that name, so that they cannot be sent again.",
      ),
  })
  .meta({ id: "DeadGroup", description: "The dead letters of one sink with one cause." });
export type DeadGroupView = z.infer<typeof deadGroupViewSchema>;

export const deadViewSchema = z.object({
  groups: list(deadGroupViewSchema),
  dead: list(deadLetterViewSchema).describe("Up to 500 messages, the oldest first."),
  sinks: list(z.string()).describe("Every configured sink, with or without dead letters."),
});
export type DeadView = z.infer<typeof deadViewSchema>;

export const resentViewSchema = z.object({
  messages: z.number(),
  alerts: z.number(),
});
export type ResentView = z.infer<typeof resentViewSchema>;
