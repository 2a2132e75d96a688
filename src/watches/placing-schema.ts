/**
 * The settings that say how the planner may arrange the requests of a watch: `strategy`,
 * `full_poll_every` and, for watches that report who joined a list, `full_read_every`. Watches of
 * accounts, of member lists and of searches have different ones. plan/ applies them.
 */
import { z } from "zod";
import { formatDuration, parseDuration } from "../model/duration.ts";
import type { StrategyOverride } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";

const MIN_FULL_POLL_MS = 600_000;

const MIN_FULL_READ_MS = 3_600_000;

/**
 * Parses a duration to milliseconds and refuses one below `leastMs`. `never`, if it is allowed,
 * becomes Infinity.
 */
const length = (leastMs: number, never?: "never") =>
  z.string().transform((text, context): number => {
    if (text === never) return Number.POSITIVE_INFINITY;
    const complain = (rule: string, message: string) => {
      context.addIssue({ code: "custom", message, params: { rule } });
      return z.NEVER;
    };
    const ms = parseDuration(text);
    if (ms === undefined)
      return complain(
        "duration",
        `"${text}" is not a duration: write a number and a unit, like 30s, 5m, 1h30m or 2d${never === undefined ? "" : `, or ${never}`}`,
      );
    return ms < leastMs
      ? complain("duration-limit", `${text} is too short: write ${formatDuration(leastMs)} or more`)
      : ms;
  });

/** The keys of a watch that reads the posts of accounts. */
export const placingShape = {
  strategy: z
    .enum(["auto", "single", "probe", "merge"])
    .default("auto")
    .describe(
      "How many accounts are read: `single` reads each, `probe` asks for the counters of a hundred at once and reads the accounts whose counters changed. `auto` probes accounts that share a schedule. `merge` comes from older releases and means `auto`.",
    ),
  full_poll_every: length(MIN_FULL_POLL_MS)
    .optional()
    .describe(
      "How often every account is read, whatever its counters say. Default: as often as that costs little, and well within `max_age`.",
    ),
};

/**
 * The keys of a watch that reads a member list of accounts, such as their followers. The profile
 * shows how long the list is, so the list can be probed.
 */
export const probingShape = {
  strategy: z
    .enum(["auto", "single", "probe"])
    .default("auto")
    .describe(
      "How the lists of many accounts are read: `single` reads each, `probe` asks for the counters of a hundred accounts at once and reads the lists whose counters changed. `auto` chooses the cheapest way and adapts to what it learns.",
    ),
  full_poll_every: length(MIN_FULL_POLL_MS)
    .optional()
    .describe(
      "How often every list is read, whatever its counter says. Default: as often as that costs little, and well within `max_age`.",
    ),
};

/** The key of a watch that reports who joined a member list. */
export const fullReadShape = {
  full_read_every: length(MIN_FULL_READ_MS, "never")
    .optional()
    .describe(
      "How often the whole list is read, 200 members per request, to find newcomers that the service does not list first. Default: once at the start, newcomers first, and then every day for lists of up to 100,000 members. `never`: not even once.",
    ),
};

/** The keys of a search. A search has no counters, so it cannot be probed. */
export const sharingShape = {
  strategy: z
    .enum(["auto", "single", "merge"])
    .default("auto")
    .describe(
      "How searches of one schedule are read: `single` sends each query, `merge` combines many plain ones (words, phrases, hashtags, cashtags, mentions, from:, to:) into one query and attributes the results. `auto` chooses the cheaper way.",
    ),
  full_poll_every: length(MIN_FULL_POLL_MS)
    .optional()
    .describe(
      "How often a merged search is also read by itself, as a verification. Default: as often as that costs little, and well within `max_age`.",
    ),
};

export interface PlacingSettings {
  readonly strategy: StrategyOverride;
  readonly full_poll_every?: number | undefined;
  readonly full_read_every?: number | undefined;
}

/**
 * Returns the placing settings of a watch of accounts, in which `merge` means `auto`. A merged
 * search for all accounts at every tick used more requests than probes wherever it was measured.
 */
export const accountsPlacingOf = (settings: PlacingSettings): ReturnType<typeof placingOf> =>
  placingOf(settings.strategy === "merge" ? { ...settings, strategy: "auto" } : settings);

/** Returns the settings as fields of a `Watch`, with those left out that have their default. */
export const placingOf = (
  settings: PlacingSettings,
): Pick<Watch, "strategy" | "fullPollEveryMs" | "fullReadEveryMs"> => ({
  ...(settings.strategy === "auto" ? {} : { strategy: settings.strategy }),
  ...(settings.full_poll_every === undefined ? {} : { fullPollEveryMs: settings.full_poll_every }),
  ...(settings.full_read_every === undefined ? {} : { fullReadEveryMs: settings.full_read_every }),
});
