/**
 * The schemas of the route tree, its throttles and the named time intervals. They use
 * Alertmanager's terms.
 */
import { z } from "zod";
import { duration, names, timezone } from "./scalar-schemas.ts";
import { templateName } from "./template-schema.ts";
import { DEFAULTS } from "../defaults.ts";

export const throttleSchema = z.strictObject({
  limit: z.int().min(1).describe("Messages in one interval; a digest counts as one."),
  interval: duration(1_000).describe("Length of the interval."),
  on_exceed: z
    .literal("digest")
    .prefault(DEFAULTS.throttle.on_exceed)
    .describe("The surplus is gathered and goes out as lists."),
  digest_interval: duration(1_000)
    .optional()
    .describe(
      "While there is a surplus, a digest goes out this often. Default 2m, or the interval where that is shorter.",
    ),
});

/**
 * When alerts are sent. On a sink this applies to everything it gets; on a route it replaces the
 * sink's setting.
 */
export const mutingSchema = z.strictObject({
  mute_time_intervals: z
    .array(z.string())
    .optional()
    .describe("Names of time_intervals in which nothing is sent."),
  active_time_intervals: z
    .array(z.string())
    .optional()
    .describe("Names of time_intervals outside of which nothing is sent."),
  on_mute: z
    .enum(["hold", "drop"])
    .optional()
    .describe("hold, the default: sent when the muted time ends. drop: never."),
});

const scheduleOfDigest = z
  .union([z.string(), z.strictObject({ cron: z.string(), timezone: timezone().optional() })])
  .describe(
    'When it goes out: five cron fields like "0 9 * * 1-5", in UTC, "@every 1h", or { cron, timezone }.',
  );

const digestSchema = z.strictObject({
  schedule: scheduleOfDigest,
  title: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .describe("What its heading calls it. Default: the names of its watches."),
  group_by: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Its sections: watch, author, type (posts, new followers, …) or a label. Default: by watch, and by type within a watch.",
    ),
  max_items: z
    .int()
    .min(1)
    .max(1_000)
    .prefault(DEFAULTS.digest.max_items)
    .describe("Most alerts that it lists, dealt to its sections in turn; the others are counted."),
  sort_by: z
    .string()
    .optional()
    .describe(
      "A number of the event, like likes_count or tweet.user.followers_count: the highest first in each section. Default: the oldest first.",
    ),
  when_empty: z
    .enum(["nothing", "say"])
    .prefault(DEFAULTS.digest.when_empty)
    .describe("say: it also goes out when nothing came, and says so."),
});

const dedupeSchema = z.strictObject({
  key: names().describe(
    "tweet, author, text (without case, links and mentions) or a label; several: alike in all of them.",
  ),
  window: duration(1_000)
    .prefault(DEFAULTS.dedupe.window)
    .describe("How long after an alert no other one like it is sent."),
});

/** The hours, digests and duplicates that sinks and routes can set. */
export const shapingSchema = z.strictObject({
  ...mutingSchema.shape,
  digest: z
    .union([z.literal(false), digestSchema])
    .optional()
    .describe(
      "Alerts are gathered and go out as one list on a schedule; false: at once, whatever the sink says.",
    ),
  dedupe: z
    .union([z.literal(false), dedupeSchema])
    .optional()
    .describe(
      "Only one of several alerts with the same key is sent; false: all are. Chat has { key: [tweet], window: 24h } by default.",
    ),
  repeat_interval: z
    .union([z.literal(false), duration(60_000)])
    .optional()
    .describe(
      "How long until an alert on a threshold is sent again, while the value stays across it; false: never, the default.",
    ),
  send_resolved: z
    .boolean()
    .optional()
    .describe(
      "Whether an alert on a threshold is followed by another one when the value is back. Default false.",
    ),
});

export type WrittenShaping = z.output<typeof shapingSchema>;
export type WrittenDigest = z.output<typeof digestSchema>;
export type WrittenMuting = z.output<typeof mutingSchema>;

/** A route without its children. */
export const ownRouteSchema = z.strictObject({
  matchers: z
    .array(z.string())
    .optional()
    .describe('Conditions on labels, like team="comms"; = != =~ !~. All must hold.'),
  sink: names()
    .optional()
    .describe("Where it goes: a name or a list. Inherited from the parent when absent."),
  continue: z.boolean().optional().describe("true: the routes after this one are asked too."),
  group_by: z
    .array(z.string())
    .optional()
    .describe("Labels whose values make one message of several events; [] sends each event alone."),
  group_wait: duration().optional().describe("How long a new group waits for more."),
  group_interval: duration().optional().describe("How long a group waits between messages."),
  where: z
    .string()
    .optional()
    .describe(
      "Condition on the event's own fields, in the words of a watch's `where`; false for an event without them.",
    ),
  ...shapingSchema.shape,
  throttle: throttleSchema.optional().describe("How much may be sent."),
  template: templateName().describe("Name of a template, instead of the sink's."),
});

/** The whole tree, for the JSON Schema. */
export const routeSchema = ownRouteSchema.extend({
  get routes(): z.ZodOptional<z.ZodArray<z.ZodType>> {
    return z
      .array(routeSchema)
      .optional()
      .describe("Asked in order; the first that matches takes the event.");
  },
});

const timeOfDay = (what: string) => z.string().describe(`${what}, as "22:00" in quotes.`);

export const timeIntervalSchema = z
  .array(
    z.strictObject({
      times: z
        .array(
          z.strictObject({
            start: timeOfDay("Start"),
            end: timeOfDay("End; before the start: on the next day"),
          }),
        )
        .optional()
        .describe("Hours of the day; the whole day when absent."),
      weekdays: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('Days such as "saturday" or "monday:friday"; every day when absent.'),
      dates: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe(
          'Days such as "2026-12-24" or "2026-12-24:2026-12-26", both included; every date when absent.',
        ),
      timezone: timezone()
        .prefault(DEFAULTS.time_interval.timezone)
        .describe("IANA name of the time zone."),
    }),
  )
  .min(1);

export type WrittenInterval = z.output<typeof timeIntervalSchema>;

/** The schema of a single entry of `time_intervals`, which checks it apart from the others. */
export const timeIntervalHolder = (name: string) => z.strictObject({ [name]: timeIntervalSchema });
