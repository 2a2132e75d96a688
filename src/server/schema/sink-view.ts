/**
 * The JSON of a sink's state and of an alert's state at a sink, which are parts of
 * `/api/v1/status`.
 */
import { z } from "zod";
import { deliveryOutcomeSchema, list } from "./schema.ts";

export const waitViewSchema = z
  .object({
    cause: z
      .enum([
        "enriching",
        "held",
        "throttled",
        "digest",
        "grouped",
        "sink_failing",
        "rate_limited",
        "threaded",
        "retrying",
        "queued",
      ])
      .describe(
        "Why it waits. - `enriching`: its enrichment is not there yet. - `held`: a time interval holds it back. - `throttled`, `digest`, `grouped`: it is gathered with others. - `sink_failing`: the sink's breaker is open. - `rate_limited`: the sink asked to wait. - `threaded`: its message replies to one that is still on its way. - `retrying`: the last attempt failed. - `queued`: others go first.",
      ),
    until: z
      .string()
      .nullable()
      .describe(
        "When it may be sent or is tried again; null if it only waits for others before it.",
      ),
    reason: z.string().describe("A text for people, without the time."),
  })
  .meta({ id: "Wait", description: "Why something waits, and until when." });
export type WaitView = z.infer<typeof waitViewSchema>;

export const waitCountViewSchema = waitViewSchema
  .extend({
    count: z.number(),
  })
  .meta({ id: "WaitCount" });
export type WaitCountView = z.infer<typeof waitCountViewSchema>;

export const deliveryViewSchema = z
  .object({
    sink: z.string(),
    state: deliveryOutcomeSchema,
    wait: waitViewSchema.nullable(),
  })
  .meta({ id: "Delivery", description: "The state of an alert at one sink." });
export type DeliveryView = z.infer<typeof deliveryViewSchema>;

export const sinkViewSchema = z
  .object({
    name: z.string(),
    type: z.string(),
    place: z
      .string()
      .describe(
        "Where the sink posts: `#brand`, `console`; an address as its host and a fingerprint, such as `hooks.example.com, 3fa9c1`. Empty if the sink's secrets are not known.",
      ),
    breaker: z.enum(["closed", "open"]),
    reason: z
      .string()
      .describe("The last failure while the breaker is open; empty while it is closed."),
    hint: z.string().describe("What can be done about the failure; may be empty."),
    failing_since: z
      .string()
      .nullable()
      .describe(
        "When the breaker opened, and when the next message tests the sink; both null while it is closed.",
      ),
    next_attempt_at: z.string().nullable(),
    waiting: z.number(),
    waits: list(waitCountViewSchema).describe("Why messages wait. The counts add up to `waiting`."),
    repeats: z
      .object({
        count: z.number(),
        next_at: z.string(),
      })
      .nullable()
      .describe(
        "Alerts that are repeated while their values stay across a threshold; null if there are none.",
      ),
    escalations: list(
      z
        .object({
          to: z.string().describe("The sink that is notified next."),
          count: z.number(),
          next_at: z.string().describe("When the first of them is due."),
        })
        .meta({ id: "EscalationCount" }),
    ).describe("Alerts that are escalated unless somebody acknowledges them."),
    oldest_at: z.string().nullable(),
    sent: z.number(),
    dead: z
      .number()
      .describe("Messages that were given up and neither acknowledged nor sent again."),
  })
  .meta({ id: "Sink" });
export type SinkView = z.infer<typeof sinkViewSchema>;
