/** The outcome of a poll, for schedules, counts and alerts. */
import type { GapAge } from "../../detect/feed-memory.ts";
import type { Meter } from "../../model/meter.ts";
import type { PollCommit } from "../../model/poll-store.ts";
import type { TargetNews } from "../targets/target-trouble.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";

export interface PollOutcome extends TargetNews {
  readonly events: number;
  /** The subscribers whose baseline was set. A watch has one subscriber for each of its targets. */
  readonly baselined: readonly Subscriber[];
  /** The number of items that are new since the baseline, for the subscriber with the most. */
  readonly newItems: number;
  /**
   * When tweets that are new to every subscriber were posted, in service time, oldest first. Old
   * tweets that a later read shows for the first time are left out.
   */
  readonly postedMs: readonly number[];
  /**
   * The ids of the tweets that a read of a feed showed. Undefined if the read did not go as far
   * back as it had to, or if the feed came back empty although it held items before.
   */
  readonly shown?: ReadonlySet<string>;
  /** Whether a list that held items before came back empty. */
  readonly isSuspicious: boolean;
  readonly lostGaps: number;
  /** Gaps in the history of a feed that wait to be filled. */
  readonly openGaps?: readonly GapAge[];
  readonly tooOld: ReadonlyMap<string, number>;
  /** The outcome for a list of accounts. */
  readonly list?: ListOutcome | undefined;
  /** The error that ended the poll after its first page. The pages before it are committed. */
  readonly error?: unknown;
}

export interface ListOutcome {
  /** The number of members that were reported as gone. */
  readonly left: number;
  /**
   * The number of members that were not found, and that count as gone if the next complete read
   * does not find them either.
   */
  readonly awaited: number;
  /** The number of pages of the complete read that this poll ended. Undefined if it ended none. */
  readonly pages?: number | undefined;
  /** When that complete read began, in epoch ms. */
  readonly beganAtMs?: number | undefined;
  /** Whether something that a subscriber waits for continues with the next poll. */
  readonly isUnderWay: boolean;
}

/** The outcome of a poll that made no request. */
export const NOTHING_POLLED: PollOutcome = {
  events: 0,
  baselined: [],
  newItems: 0,
  postedMs: [],
  isSuspicious: false,
  lostGaps: 0,
  tooOld: new Map(),
  renames: [],
  returned: [],
  absent: [],
  refused: new Map(),
};

/** Counts one poll in the metrics. */
export function countPoll(
  meter: Meter,
  poll: Poll,
  commit: PollCommit,
  created: ReadonlySet<string>,
): void {
  const watchIds = new Map(poll.subscribers.map(({ watchKey, watch }) => [watchKey, watch.id]));
  for (const { watchKey, verdict } of commit.verdicts)
    meter.count("chirpwatch_items_total", { watch: watchIds.get(watchKey) ?? "", verdict });
  for (const event of commit.events) {
    const delayMs = Math.max(0, commit.atMs - event.occurredAtMs);
    if (created.has(event.id))
      meter.observe("chirpwatch_detect_delay_seconds", delayMs / 1_000, { type: event.watchType });
  }
}

/**
 * Joins the outcomes of a group's members by adding up their numbers. Everything else was handled
 * for each member when it was read.
 */
export const joinOutcomes = (outcomes: readonly PollOutcome[]): PollOutcome => ({
  ...NOTHING_POLLED,
  events: outcomes.reduce((sum, { events }) => sum + events, 0),
  newItems: outcomes.reduce((sum, { newItems }) => sum + newItems, 0),
});
