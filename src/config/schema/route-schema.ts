/**
 * The schemas of routes, of the settings that routes share with sinks, and of the named time
 * intervals. The names of the keys are Alertmanager's.
 */
import { z } from "zod";
import { duration, names, timezone, zonedCron } from "./scalar-schemas.ts";
import { templateName } from "./template-schema.ts";
import { DEFAULTS } from "../defaults.ts";

export const throttleSchema = z.strictObject({
  limit: z
    .int()
    .min(1)
    .describe("How many messages may be sent in one interval; a digest counts as one."),
  interval: duration(1_000).describe("Length of the interval."),
  on_exceed: z
    .literal("digest")
    .prefault(DEFAULTS.throttle.on_exceed)
    .describe("Alerts above the limit are collected and sent as lists."),
  digest_interval: duration(1_000)
    .optional()
    .describe(
      "How often a digest is sent while the limit is exceeded. Default: 2m, or the interval if that is shorter.",
    ),
});

/**
 * The hours in which alerts are sent. On a sink they apply to everything that it gets. Each key
 * that a route sets replaces the same key of the sink.
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
    .describe("`hold` (default): send alerts when the muted time ends. `drop`: never send them."),
});

const scheduleOfDigest = z
  .union([z.string(), zonedCron("Five cron fields.", "UTC")])
  .describe(
    'When it is sent: five cron fields like "0 9 * * 1-5", in UTC, "@every 1h", or { cron, timezone }.',
  );

const digestSchema = z.strictObject({
  schedule: scheduleOfDigest,
  title: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .describe("The title in its heading. Default: the names of its watches."),
  group_by: z
    .string()
    .min(1)
    .optional()
    .describe(
      "How it is divided into sections: by watch, author, type (posts, new followers, …) or a label. Default: by watch, and by type within a watch.",
    ),
  max_items: z
    .int()
    .min(1)
    .max(1_000)
    .prefault(DEFAULTS.digest.max_items)
    .describe(
      "Maximum number of alerts that it lists, taken from its sections in turn; the others are only counted.",
    ),
  sort_by: z
    .string()
    .optional()
    .describe(
      "A number of the event, like likes_count or tweet.user.followers_count, by which each section is sorted, the highest first. Default: the oldest alert first.",
    ),
  when_empty: z
    .enum(["nothing", "say"])
    .prefault(DEFAULTS.digest.when_empty)
    .describe("`say`: a digest is also sent if there are no alerts, and says so."),
});

const dedupeSchema = z.strictObject({
  key: names().describe(
    "What duplicates have in common: tweet, author, text (ignoring case, links and mentions) or a label. With several, all must be the same.",
  ),
  window: duration(1_000)
    .prefault(DEFAULTS.dedupe.window)
    .describe("How long after an alert its duplicates are not sent."),
});

const escalateSchema = z
  .array(
    z.strictObject({
      after: duration(1_000).describe(
        "How long nobody has acknowledged the alert; for a later step, how long after the step before.",
      ),
      sink: z.string().describe("Name of the sink that the escalation goes to."),
      when: z
        .string()
        .optional()
        .describe(
          "Condition on the alert, written like a watch's `where`. The step is passed over if it is false.",
        ),
    }),
  )
  .min(1);

/** The settings that both sinks and routes have: hours, digests, duplicates and repetitions. */
export const shapingSchema = z.strictObject({
  ...mutingSchema.shape,
  digest: z
    .union([z.literal(false), digestSchema])
    .optional()
    .describe(
      "Alerts are collected and sent as one list on a schedule; false: each is sent at once, even if the sink has a `digest`.",
    ),
  dedupe: z
    .union([z.literal(false), dedupeSchema])
    .optional()
    .describe(
      "Only one of several alerts with the same key is sent; false: all are. Default for chat sinks: { key: [tweet], window: 24h }.",
    ),
  repeat_interval: z
    .union([z.literal(false), duration(60_000)])
    .optional()
    .describe(
      "How often an alert on a threshold is repeated while the value stays past it; false (default): never.",
    ),
  send_resolved: z
    .boolean()
    .optional()
    .describe(
      "Whether another alert is sent when the value is no longer past its threshold. Default false.",
    ),
  escalate: z
    .union([z.literal(false), escalateSchema])
    .optional()
    .describe(
      "Who else is notified if nobody acknowledges an alert; false: nobody, even if the sink has an `escalate`. Child routes do not inherit it.",
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
    .describe('Conditions on labels, like team="comms"; with = != =~ !~. All must match.'),
  sink: names()
    .optional()
    .describe("The sink or list of sinks that its events go to. Default: that of the parent."),
  continue: z.boolean().optional().describe("true: the routes after this one are tried too."),
  group_by: z
    .array(z.string())
    .optional()
    .describe(
      "Events with the same values of these labels are sent in one message; [] sends each event alone.",
    ),
  group_wait: duration()
    .optional()
    .describe("How long the first message of a group waits for more events."),
  group_interval: duration().optional().describe("How long a group waits between messages."),
  where: z
    .string()
    .optional()
    .describe(
      "Condition on the event's own fields, written like a watch's `where`; false for an event without these fields.",
    ),
  ...shapingSchema.shape,
  throttle: throttleSchema.optional().describe("Limits how many messages are sent."),
  template: templateName().describe("Name of the template to use instead of the sink's."),
});

/**
 * A route with its children. Only the JSON Schema uses it: when a file is loaded, each route is
 * checked by itself.
 */
export const routeSchema = ownRouteSchema.extend({
  get routes(): z.ZodOptional<z.ZodArray<z.ZodType>> {
    return z
      .array(routeSchema)
      .optional()
      .describe("Child routes, tried in order; the first that matches takes the event.");
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
            end: timeOfDay("End; if it is before the start, on the next day"),
          }),
        )
        .optional()
        .describe("Hours of the day. Default: the whole day."),
      weekdays: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('Days such as "saturday" or "monday:friday". Default: every day.'),
      dates: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe(
          'Days such as "2026-12-24" or "2026-12-24:2026-12-26", both included. Default: every date.',
        ),
      timezone: timezone()
        .prefault(DEFAULTS.time_interval.timezone)
        .describe("IANA name of the time zone."),
    }),
  )
  .min(1);

export type WrittenInterval = z.output<typeof timeIntervalSchema>;

/**
 * Creates the schema of a map with one entry of `time_intervals`, so that each entry is checked
 * apart from the others.
 */
export const timeIntervalHolder = (name: string) => z.strictObject({ [name]: timeIntervalSchema });
