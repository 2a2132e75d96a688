/**
 * Reads the feeds of a backfill one after the other, with a line of progress. A feed that cannot be
 * read further is reported, and the others continue.
 */
import { readBack } from "../../operate/backfill/read-back.ts";
import type { BackEstimate } from "../../operate/backfill/estimate-back.ts";
import { errorText } from "../../model/errors.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { CliContext } from "../terminal/context.ts";
import { createProgress } from "../terminal/progress.ts";
import type { BackfillPlan } from "./backfill-plan.ts";
import { progressText } from "./backfill-text.ts";

export interface BackRead {
  /** How many requests were billed. */
  readonly spent: number;
  /** The feeds that were not read back to `sinceMs`, and why. */
  readonly cut: readonly { readonly poll: Poll; readonly reason: string }[];
}

export async function readAll(
  context: CliContext,
  { access, polls, sinceMs, nowMs, watch }: BackfillPlan,
  { most, estimate }: { readonly most: number; readonly estimate: BackEstimate },
): Promise<BackRead> {
  const progress = createProgress();
  const cut: { poll: Poll; reason: string }[] = [];
  let tweets = 0;
  for (const poll of polls) {
    const asked = {
      source: `backfill:${poll.key}`,
      watch: watch.id,
      priority: "low",
      purpose: "poll",
      endpoint: poll.source.endpoint,
    } as const;
    const end = await readBack(
      {
        store: access.store,
        clock: context.clock,
        ask: (params, cursor) => access.gate.request({ ...asked, params, cursor }),
        mayAsk: () => access.spent < most,
        onPage(count, reachedMs) {
          tweets += count;
          const share = (nowMs - Math.max(Math.min(reachedMs, nowMs), sinceMs)) / (nowMs - sinceMs);
          progress.show(
            progressText({ spent: access.spent, expected: estimate.requests, tweets, share }),
          );
        },
      },
      { key: poll.key, source: poll.source, sinceMs },
    ).catch((error: unknown) => errorText(error));
    if (end !== "reached")
      cut.push({ poll, reason: end === "cut" ? `the limit of ${most} requests was reached` : end });
  }
  progress.clear();
  return { spent: access.spent, cut };
}
