/** The schema of an entry under `reports`. */
import { z } from "zod";
import { DEFAULTS } from "../defaults.ts";
import { names, timezone, zonedCron } from "./scalar-schemas.ts";

export const reportSchema = z.strictObject({
  schedule: z
    .union([z.string(), zonedCron("Five cron fields.", "that of the report")])
    .describe(
      'When it is sent: five cron fields like "0 9 * * 1" in its time zone, or { cron, timezone }.',
    ),
  sink: names().describe("The sink or list of sinks that it is sent to."),
  watches: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("The watches that it covers. Default: all."),
  matchers: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Instead of `watches`: conditions on their labels, like team="comms".'),
  by: z
    .array(z.string())
    .max(4)
    .prefault([...DEFAULTS.report.by])
    .describe("Labels whose shares it shows, like lang or sentiment."),
  top: z
    .int()
    .min(1)
    .max(20)
    .prefault(DEFAULTS.report.top)
    .describe("How many authors and posts it lists; chat sinks show five."),
  timezone: timezone().prefault(DEFAULTS.report.timezone).describe("IANA name of its time zone."),
  title: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .describe("The title in its heading. Default: its name."),
});

/**
 * Creates the schema of a map with one entry of `reports`, so that each entry is checked apart from
 * the others.
 */
export const reportHolder = (name: string) => z.strictObject({ [name]: reportSchema });
export type WrittenReport = z.output<typeof reportSchema>;
