/** The body of a request that adds a silence. */
import { z } from "zod";
import type { SilenceRequest } from "../schema/silence-view.ts";

/**
 * Creates an empty value for each absent field; the later check of the silence then reports which
 * fields are missing. A field that is unknown or has another type is refused here.
 */
export const silenceBodySchema = z
  .strictObject({
    matchers: z
      .array(z.string())
      .default([])
      .describe('Matchers as in routes, such as `team="comms"`. All of them must match.'),
    duration: z
      .string()
      .default("")
      .describe("A duration as in the configuration, such as `30m`, `2h` or `3d`."),
    comment: z.string().default("").describe("Why."),
    sinks: z
      .array(z.string())
      .optional()
      .describe("The sinks at which it holds; every sink if it is absent."),
    author: z.string().default("").describe("The name of the person; may be empty."),
  })
  .meta({ id: "SilenceRequest" }) satisfies z.ZodType<SilenceRequest>;
