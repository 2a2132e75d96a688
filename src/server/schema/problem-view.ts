/** The JSON of the answer to a request that was refused or failed. */
import { z } from "zod";
import { list } from "./schema.ts";

export const problemViewSchema = z
  .object({
    type: z.string().describe("The code as a URN, such as `urn:chirpwatch:error:WATCH_UNKNOWN`."),
    title: z.string().describe("What the status means."),
    status: z.int(),
    detail: z.string().describe("A sentence that says what is wrong and what to do instead."),
    error: z.object({
      code: z.string().describe("A code of the errors page of the documentation."),
      message: z.string().describe("The same sentence as `detail`."),
      errors: list(z.string())
        .exactOptional()
        .describe("A sentence for each error, if there are several."),
    }),
  })
  .meta({ id: "Problem", description: "A problem document as RFC 9457 defines it." });
export type ProblemView = z.infer<typeof problemViewSchema>;
