/** The schema of the keys that sinks of every type have. */
import { z } from "zod";
import { shapingSchema, throttleSchema } from "./route-schema.ts";
import { duration } from "./scalar-schemas.ts";
import { regionSchema, templateName } from "./template-schema.ts";

export const commonSinkSchema = z.strictObject({
  retry_for: duration(1_000)
    .optional()
    .describe(
      "How long a message is retried after its first attempt. Default: 24h for chat, 76h otherwise.",
    ),
  throttle: z
    .union([z.literal(false), throttleSchema])
    .optional()
    .describe(
      "Limits how many messages are sent; false: no limit. Default for chat sinks: { limit: 30, interval: 10m }.",
    ),
  ...shapingSchema.shape,
  template: templateName().describe("Name of the template for alerts whose route names none."),
  ...regionSchema.shape,
  actions_link: z
    .boolean()
    .optional()
    .describe(
      "Whether messages link to the page where people acknowledge an alert, snooze it and so on. Needs `server.public_url`. Default false.",
    ),
  moved_from: z
    .string()
    .optional()
    .describe("The former name of this sink: it keeps its queue, even if its type has changed."),
});

export const COMMON_SINK_KEYS: readonly string[] = Object.keys(commonSinkSchema.shape);

export type WrittenThrottle = z.output<typeof commonSinkSchema>["throttle"];
