/** Lists the gaps in the covered ranges of feeds, as the status shows them. */
import { gapText } from "../../engine/health/gap-monitor.ts";
import type { OpenGaps } from "../../engine/loop/poll-history.ts";
import { isoTime } from "../../model/clock.ts";
import type { GapView } from "../../server/schema/status-view.ts";

const MAX_SHOWN = 50;

/** Returns the oldest gaps, the oldest first. */
export function gapViews(open: readonly OpenGaps[]): readonly GapView[] {
  return listed(open)
    .slice(0, MAX_SHOWN)
    .map(({ watches, gap }) => ({
      watches,
      opened_at: isoTime(gap.openedAtMs),
      shrunk_at: isoTime(gap.shrunkAtMs),
      polls: gap.polls,
      cause: gap.cause,
      stuck: gap.isStuck,
    }));
}

/** Returns a sentence for each watch that has a stuck gap, about its oldest one. */
export function stuckGapReasons(open: readonly OpenGaps[], nowMs: number): readonly string[] {
  const sentences = new Map<string, string>();
  for (const { watches, gap } of listed(open))
    if (gap.isStuck)
      for (const id of watches)
        if (!sentences.has(id)) sentences.set(id, `${id}: ${gapText(gap, nowMs)}`);
  return [...sentences.values()];
}

const listed = (open: readonly OpenGaps[]) =>
  open
    .flatMap(({ feed, gaps }) =>
      gaps.map((gap) => ({
        watches: [...new Set(feed.subscribers.map(({ watch }) => watch.id))],
        gap,
      })),
    )
    .sort((a, b) => a.gap.openedAtMs - b.gap.openedAtMs);
