/** The body of a request for a silence. */
import { z } from "zod";
import type { SilenceRequest } from "../schema/silence-view.ts";

/**
 * Absent fields become empty, and the check of the silence reports them as missing. An unknown
 * field, or one of another type, is refused.
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
    author: z.string().default("").describe("The name of the person; may be empty."),
  })
  .meta({ id: "SilenceRequest" }) satisfies z.ZodType<SilenceRequest>;
