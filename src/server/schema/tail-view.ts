/**
 * The JSON of the lines that `/api/v1/tail` streams: one for each event and for each delivery
 * attempt, at the moment it happens.
 */
import { z } from "zod";
import { list } from "./schema.ts";

/** A filter for lines. A line must match every value that is given. */
export interface TailFilter {
  readonly watch?: string | undefined;
  readonly sink?: string | undefined;
}

export const tailEventSchema = z
  .object({
    kind: z.literal("event"),
    at: z.string(),
    id: z.string(),
    type: z.string(),
    watch: z.string().describe("The watch id; empty for the daemon's own events."),
    title: z.string().describe("A line for people."),
    url: z.string().nullable(),
    sinks: list(z.string()).describe(
      "The sinks to which the event was routed; empty if no route matched.",
    ),
  })
  .meta({ id: "TailEvent" });
export type TailEvent = z.infer<typeof tailEventSchema>;

export const tailDeliverySchema = z
  .object({
    kind: z.literal("delivery"),
    at: z.string(),
    sink: z.string(),
    message_id: z.string(),
    outcome: z
      .enum(["sent", "retry", "dead"])
      .describe(
        "`retry` means that another attempt follows; `dead` means that the message was given up.",
      ),
    error: z.string().describe("The sink's error; empty if it accepted the message."),
    next_attempt_at: z.string().nullable().describe("Null unless there is another attempt."),
    alerts: list(
      z.object({
        id: z.string(),
        watch: z.string(),
      }),
    ),
  })
  .meta({ id: "TailDelivery" });
export type TailDelivery = z.infer<typeof tailDeliverySchema>;

export const tailLineSchema = z
  .discriminatedUnion("kind", [tailEventSchema, tailDeliverySchema])
  .meta({ id: "TailLine" });
export type TailLine = z.infer<typeof tailLineSchema>;
