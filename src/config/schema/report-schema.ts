/** The schema of reports. */
import { z } from "zod";
import { DEFAULTS } from "../defaults.ts";
import { names, timezone } from "./scalar-schemas.ts";

export const reportSchema = z.strictObject({
  schedule: z
    .union([z.string(), z.strictObject({ cron: z.string(), timezone: timezone().optional() })])
    .describe(
      'When it goes out: five cron fields like "0 9 * * 1" in its time zone, or { cron, timezone }.',
    ),
  sink: names().describe("Where it goes: a name or a list."),
  watches: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("The watches that it is about; all of them when absent."),
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
    .describe("The number of authors and posts; a chat shows five."),
  timezone: timezone().prefault(DEFAULTS.report.timezone).describe("IANA name of its time zone."),
  title: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .describe("What its heading calls it. Default: its name."),
});

/** The schema of a single entry of `reports`, which checks it apart from the others. */
export const reportHolder = (name: string) => z.strictObject({ [name]: reportSchema });
export type WrittenReport = z.output<typeof reportSchema>;
