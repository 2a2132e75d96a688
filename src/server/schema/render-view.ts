/** The JSON of the command `render`: an event as it would be sent to a sink now. */
import { z } from "zod";
import { jsonSchema } from "./schema.ts";

export const renderViewSchema = z
  .object({
    event: z.object({
      id: z.string(),
      type: z.string(),
      watch: z.string(),
    }),
    sink: z.string(),
    sample: z
      .boolean()
      .describe("Whether the event is invented, because the watch has had none yet."),
    template: z
      .string()
      .nullable()
      .describe("The template that words the event; null if the default message is sent."),
    problem: z
      .string()
      .describe("Why the template failed; empty if it did not, or if there is none."),
    text: z.string().describe("The message for people, without the sink's layout."),
    payload: jsonSchema.describe("What the sink would be sent, without addresses and secrets."),
  })
  .meta({ id: "Render" });
export type RenderView = z.infer<typeof renderViewSchema>;
