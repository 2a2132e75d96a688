/** The keys of every sink, whatever its type. */
import { z } from "zod";
import { shapingSchema, throttleSchema } from "./route-schema.ts";
import { duration } from "./scalar-schemas.ts";
import { regionSchema, templateName } from "./template-schema.ts";

export const commonSinkSchema = z.strictObject({
  retry_for: duration(1_000)
    .optional()
    .describe(
      "How long a message is tried, from its first attempt. Default 24h for chat, 76h otherwise.",
    ),
  throttle: z
    .union([z.literal(false), throttleSchema])
    .optional()
    .describe(
      "How much may be sent; false: no limit. Chat has { limit: 30, interval: 10m } by default.",
    ),
  ...shapingSchema.shape,
  template: templateName().describe("Name of a template, for alerts that no route gives another."),
  ...regionSchema.shape,
  moved_from: z
    .string()
    .optional()
    .describe("The name this sink had before: keeps its queue, also where the type is another."),
});

export const COMMON_SINK_KEYS: readonly string[] = Object.keys(commonSinkSchema.shape);

export type WrittenThrottle = z.output<typeof commonSinkSchema>["throttle"];
