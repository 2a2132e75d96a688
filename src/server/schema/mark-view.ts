/** The marks that people put on alerts, as JSON. */
import { z } from "zod";

export const markViewSchema = z
  .object({
    by: z.string(),
    at: z.string(),
    from: z.string().describe("Where the person was: `command line`, `API`, `page`."),
  })
  .meta({ id: "Mark" });
export type MarkView = z.infer<typeof markViewSchema>;

const countsSchema = z.object({
  alerts: z.number().describe("The number of alerts that were asked for."),
  changed: z
    .number()
    .describe(
      "The number of alerts that the request changed; 0 if it asked for what held already.",
    ),
});

export const markedViewSchema = countsSchema.extend({
  acknowledged: markViewSchema
    .nullable()
    .describe("The newest mark of these alerts; null if none has one now."),
});
export type MarkedView = z.infer<typeof markedViewSchema>;

export const notRelevantViewSchema = countsSchema.extend({
  not_relevant: markViewSchema
    .nullable()
    .describe("The newest mark of these alerts; null if none has one now."),
});
export type NotRelevantView = z.infer<typeof notRelevantViewSchema>;
