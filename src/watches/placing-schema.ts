/** How a watch of accounts, of their lists, or a search, lets the planner place its requests: `strategy`, `full_poll_every` and `freshness`. Leaves the placing to plan/. */
import { z } from "zod";
import { formatDuration, parseDuration } from "../model/duration.ts";
import type { Freshness, StrategyWish } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";

const LEAST_FULL_POLL_MS = 600_000;
const LEAST_FRESHNESS_MS = 5_000;

const length = (leastMs: number) =>
  z.string().transform((text, context): number => {
    const complain = (rule: string, message: string) => {
      context.addIssue({ code: "custom", message, params: { rule } });
      return z.NEVER;
    };
    const ms = parseDuration(text);
    if (ms === undefined) return complain("duration", `"${text}" is not a duration: write a number and a unit, like 30s, 5m, 1h30m or 2d`);
    return ms < leastMs ? complain("duration-limit", `${text} is too short: write ${formatDuration(leastMs)} or more`) : ms;
  });

const freshness = z
  .union([
    length(LEAST_FRESHNESS_MS),
    z.strictObject({
      mean: length(LEAST_FRESHNESS_MS).describe("The mean delay over all posts."),
      max: length(LEAST_FRESHNESS_MS).describe("No account waits longer."),
    }),
  ])
  .transform((value, context): Freshness => {
    if (typeof value === "number") return { kind: "p95", p95Ms: value };
    if (value.max >= 2 * value.mean) return { kind: "mean", meanMs: value.mean, maxMs: value.max };
    const message = `\`max\` ${formatDuration(value.max)} leaves no room around a mean of ${formatDuration(value.mean)}: write ${formatDuration(4 * value.mean)} or more`;
    context.addIssue({ code: "custom", path: ["max"], message, params: { rule: "freshness" } });
    return z.NEVER;
  });

/** Keys of a watch type's own schema. */
export const placingShape = {
  strategy: z
    .enum(["auto", "single", "probe", "merge"])
    .default("auto")
    .describe(
      "How many accounts are read: `single` asks for each, `probe` asks for the counters of a hundred at once and reads those that moved, `merge` names many in one search. `auto` takes what costs least and changes with what it learns.",
    ),
  full_poll_every: length(LEAST_FULL_POLL_MS)
    .optional()
    .describe(
      "Every account is read so often whatever its counters say. By default as often as it costs little, and well within `max_age`.",
    ),
  freshness: freshness
    .optional()
    .describe(
      "Instead of `schedule`: how late posts may be found. `60s`: 95 of 100 posts sooner than that. `{ mean: 60s, max: 5m }`: so late on average, and no account waits longer than `max`.",
    ),
};

/** Keys of a watch of an account's list, whose length the profile tells. */
export const probingShape = {
  strategy: z
    .enum(["auto", "single", "probe"])
    .default("auto")
    .describe(
      "How lists of many accounts are read: `single` asks for each, `probe` asks for the counters of a hundred accounts at once and reads the lists of those that moved. `auto` takes what costs least and changes with what it learns.",
    ),
  full_poll_every: length(LEAST_FULL_POLL_MS)
    .optional()
    .describe("Every list is read so often whatever its counter says. By default as often as it costs little, and well within `max_age`."),
};

/** Keys of a search, which has no counters to ask for. */
export const sharingShape = {
  strategy: z
    .enum(["auto", "single", "merge"])
    .default("auto")
    .describe(
      "How searches of one schedule are read: `single` asks for each, `merge` asks for many plain ones (words, phrases, hashtags, cashtags, mentions, from:, to:) in one query and tells the answers apart. `auto` takes what costs less.",
    ),
  full_poll_every: length(LEAST_FULL_POLL_MS)
    .optional()
    .describe(
      "A search that is asked together with others is asked by itself so often, as a proof. By default as often as it costs little, and well within `max_age`.",
    ),
};

export interface PlacingSettings {
  readonly strategy: StrategyWish;
  readonly full_poll_every?: number | undefined;
  readonly freshness?: Freshness | undefined;
}

/** The same in a watch's words. */
export const placingOf = (settings: PlacingSettings): Pick<Watch, "strategy" | "fullPollEveryMs" | "freshness"> => ({
  ...(settings.strategy === "auto" ? {} : { strategy: settings.strategy }),
  ...(settings.full_poll_every === undefined ? {} : { fullPollEveryMs: settings.full_poll_every }),
  ...(settings.freshness === undefined ? {} : { freshness: settings.freshness }),
});
