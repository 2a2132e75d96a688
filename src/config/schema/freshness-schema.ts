/**
 * The schema of `freshness`, which replaces a schedule and says how late tweets may be found. All
 * types of watches of tweets have this key.
 */
import { z } from "zod";
import { formatDuration } from "../../model/duration.ts";
import type { Freshness } from "../../model/schedule.ts";
import { duration } from "./scalar-schemas.ts";

const MIN_MS = 5_000;

export const freshnessSchema = z
  .union([
    duration(MIN_MS),
    z.strictObject({
      mean: duration(MIN_MS).describe("The mean delay over all posts."),
      max: duration(MIN_MS).describe(
        "The longest time between two polls of an account, search or list.",
      ),
    }),
  ])
  .transform((value, context): Freshness => {
    if (typeof value === "number") return { kind: "p95", p95Ms: value };
    if (value.max >= 2 * value.mean) return { kind: "mean", meanMs: value.mean, maxMs: value.max };
    const message = `\`max\` ${formatDuration(value.max)} is too short for a mean of ${formatDuration(value.mean)}: write ${formatDuration(4 * value.mean)} or more`;
    context.addIssue({ code: "custom", path: ["max"], message, params: { rule: "freshness" } });
    return z.NEVER;
  });
