/**
 * The schemas of message templates, and of the keys with which a sink sets the locale and the time
 * zone of its messages.
 */
import { z } from "zod";
import { locale, timezone } from "./scalar-schemas.ts";

export const templateSchema = z
  .strictObject({
    events: z
      .array(z.string())
      .min(1)
      .describe(
        'Event types it is for, like "tweet.created" or "tweet.*". Other events get the default message.',
      ),
    title: z
      .string()
      .optional()
      .describe("The line above the alert, in Liquid. Default: the usual title."),
    body: z
      .string()
      .optional()
      .describe("The text of the alert, in Liquid. Default: the usual text."),
  })
  .refine((template) => template.title !== undefined || template.body !== undefined, {
    error: "needs a `title` or a `body`",
    params: { rule: "missing-key" },
  });

/** The keys of a sink that set how numbers and times are written in its messages. */
export const regionSchema = z.strictObject({
  locale: locale().optional().describe("Locale of numbers and times, like de-DE."),
  timezone: timezone()
    .optional()
    .describe(
      "Time zone of times, an IANA name. Default: UTC. Slack and Discord show times in each reader's own time zone.",
    ),
});

export type WrittenRegion = z.output<typeof regionSchema>;

export const templateName = () => z.string().min(1).optional();
