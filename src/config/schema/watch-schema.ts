/**
 * The schema of the keys that watches of every type have. It converts texts into the values that
 * the daemon uses, such as milliseconds and account keys.
 */
import { z } from "zod";
import { accountKey, parseAccount } from "../../model/account.ts";
import { formatDuration, parseDuration } from "../../model/duration.ts";
import type { FirstRun, RecheckRule, SpikeRule } from "../../model/watch.ts";
import { DEFAULTS } from "../defaults.ts";
import { enrichSchema } from "./enrich-schema.ts";
import { freshnessSchema } from "./freshness-schema.ts";
import { duration, names, timezone, zonedCron } from "./scalar-schemas.ts";

const firstRun = z
  .union([
    z.string(),
    z.strictObject({
      latest: z.int().min(1).max(100).describe("Alerts on this many of the newest items."),
    }),
    z.strictObject({
      since: duration(1_000).describe("Alerts on items that are not older than this."),
    }),
  ])
  .transform((value, context): FirstRun => {
    if (typeof value !== "string")
      return "latest" in value
        ? { kind: "latest", count: value.latest }
        : { kind: "since", ageMs: value.since };
    const [, word, rest = ""] = /^(baseline|latest|since)(?::\s*(\S+))?$/.exec(value.trim()) ?? [];
    if (word === "baseline" && rest === "") return { kind: "baseline" };
    if (word === "latest" && /^[1-9]\d?$/.test(rest))
      return { kind: "latest", count: Number(rest) };
    const ageMs = parseDuration(rest);
    if (word === "since" && ageMs !== undefined) return { kind: "since", ageMs };
    context.addIssue({
      code: "custom",
      message: `"${value}" is not a first run: write baseline, { latest: 3 } or { since: 24h }`,
      params: { rule: "first-run" },
    });
    return z.NEVER;
  });

const include = z.strictObject({
  replies: z.boolean().optional().describe("Whether replies raise alerts."),
  retweets: z.boolean().optional().describe("Whether retweets raise alerts."),
  quotes: z.boolean().optional().describe("Whether quotes raise alerts."),
});

const ignoredAuthor = z.string().transform((text, context): string => {
  const account = parseAccount(text);
  if (account !== undefined) return accountKey(account).replace(/^@/, "");
  context.addIssue({
    code: "custom",
    message: `"${text}" is not an account: write a handle (alice), an id ("id:44196397") or a profile link`,
    params: { rule: "account" },
  });
  return z.NEVER;
});

const ignore = z.strictObject({
  authors: z
    .array(ignoredAuthor)
    .optional()
    .describe(
      "Accounts whose items raise no alert. They are followed by id, so a renamed account stays ignored. `{ file: authors.txt }` reads one per line.",
    ),
  words: z
    .array(z.string().trim().min(1))
    .optional()
    .describe(
      "Items with one of these words raise no alert. Only whole words match; case does not matter. `{ file: words.txt }` reads one per line.",
    ),
});

const writtenSchedule = z.union([
  z.string(),
  zonedCron("Five or six cron fields.", "`timezone` of the watch"),
]);

const recheck = z
  .strictObject({
    every: duration(60_000).describe(
      "How often a fresh tweet is rechecked: a hundred tweets share a request.",
    ),
    until: duration(60_000).describe("Age up to which a tweet is rechecked."),
  })
  .superRefine(({ every, until }, context) => {
    if (until >= every) return;
    const message = `\`until\` ${formatDuration(until)} ends before the first recheck after ${formatDuration(every)}: write ${formatDuration(2 * every)} or more`;
    context.addIssue({ code: "custom", path: ["until"], message, params: { rule: "recheck" } });
  })
  .transform(({ every, until }): RecheckRule => ({ everyMs: every, untilMs: until }));

const DAY_MS = 86_400_000;

const spike = z
  .strictObject({
    factor: z
      .number()
      .gt(1)
      .describe("How many times the usual number of events at that time of day makes a spike."),
    window: duration(60_000).describe("The time over which events are counted; at most 24h."),
    min: z.int().min(1).describe("Fewer events are never a spike."),
  })
  .superRefine(({ window }, context) => {
    if (window <= DAY_MS) return;
    const message = `a window of ${formatDuration(window)} has no time of day to compare with: write 24h or less`;
    context.addIssue({ code: "custom", path: ["window"], message, params: { rule: "spike" } });
  })
  .transform(({ factor, window, min }): SpikeRule => ({ factor, windowMs: window, min }));

const noEvents = z.strictObject({
  for: duration(60_000).describe(
    "How long there must be no event before an alert. Each silent period raises one alert.",
  ),
});

const d = DEFAULTS.watch;

/**
 * The keys in the order of the reference page. `type` is missing here, because its values come from
 * the registry of watch types.
 */
export const commonWatchSchema = z.strictObject({
  schedule: writtenSchedule
    .prefault(d.schedule)
    .describe(
      'When to poll: five or six cron fields, "@every 30s" (1s or more), or { cron, timezone }.',
    ),
  freshness: freshnessSchema
    .optional()
    .describe(
      "Instead of `schedule`: how late tweets may be found. `60s`: 95 of 100 within that time. `{ mean: 60s, max: 5m }`: the average delay, and the longest time between two polls.",
    ),
  timezone: timezone().prefault(d.timezone).describe("Time zone of the cron fields."),
  sink: names()
    .optional()
    .describe(
      "The sink or list of sinks that its events go to. Without it, the route tree decides.",
    ),
  where: z
    .string()
    .optional()
    .describe(
      "A CEL expression over the event's own body. Only events for which it is true raise alerts.",
    ),
  labels: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a label may contain only letters, digits and _"),
      z.string(),
    )
    .prefault({})
    .describe("Additional labels of its events, for matchers."),
  priority: z
    .enum(["high", "normal", "low"])
    .prefault(d.priority)
    .describe(
      "Which watches are slowed down first when requests are short: low, then normal, then high.",
    ),
  first_run: firstRun
    .prefault(d.first_run)
    .describe(
      "What the first poll alerts on: baseline (nothing), { latest: 3 } or { since: 24h }.",
    ),
  include: include.prefault({}).describe("Which kinds of tweets raise alerts besides posts."),
  ignore: ignore.prefault({}).describe("Authors and words that raise no alert."),
  max_pages: z
    .int()
    .min(1)
    .max(1_000)
    .prefault(d.max_pages)
    .describe("Maximum number of new pages in one poll; the next polls read the rest."),
  max_age: duration(1_000)
    .optional()
    .describe(
      `Items older than this raise no alert. Default: ${d.max_age}, or twice the schedule's interval if that is longer.`,
    ),
  overlap: duration().prefault(d.overlap).describe("How far back a late-arrival rescan reads."),
  recheck: recheck
    .optional()
    .describe(
      "Rechecks fresh tweets. A tweet that `where` rejected raises an alert when `where` becomes true, an edited one raises `tweet.edited`, one that is gone raises `tweet.deleted`.",
    ),
  spike: spike
    .optional()
    .describe(
      "Raises `volume.spike` when events come many times faster than usual at that time of day.",
    ),
  enrich: enrichSchema
    .optional()
    .describe(
      "Asks an endpoint or a program of yours about each event, and adds the labels and fields that it returns before the event is routed.",
    ),
  no_events: noEvents.optional().describe("Raises `volume.silent` when no event came for a while."),
  enabled: z
    .boolean()
    .prefault(d.enabled)
    .describe("false: the watch is not polled but keeps its memory."),
  on_return: z
    .enum(["digest", "deliver", "skip"])
    .prefault(d.on_return)
    .describe(
      "What happens to items that came while the watch was paused, disabled or removed. `digest`: chat sinks get one digest, webhook and console get single events. `deliver`: all sinks get single alerts. `skip`: no alerts.",
    ),
  moved_from: z.string().optional().describe("The former id of this watch: it keeps its memory."),
});

/**
 * The schema of `defaults.watch`. It has the same keys except `moved_from`, all of them optional
 * and without defaults.
 */
export const watchDefaultsSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(commonWatchSchema.omit({ moved_from: true }).shape).map(([key, schema]) => [
      key,
      withoutDefault(schema).optional(),
    ]),
  ),
);

function withoutDefault(schema: z.ZodType): z.ZodType {
  const description = schema.description;
  const inner =
    schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
      ? (schema.unwrap() as z.ZodType)
      : schema;
  return description === undefined ? inner : inner.describe(description);
}

/** Keys that make sense only on watches of tweets. */
export const TWEET_WATCH_KEYS: readonly string[] = ["freshness", "include", "recheck"];

export const COMMON_WATCH_KEYS: readonly string[] = Object.keys(commonWatchSchema.shape);

export type CommonWatch = z.output<typeof commonWatchSchema>;
