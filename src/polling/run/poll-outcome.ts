/** What a poll brought and what came of it, for schedules, counts and alerts. */
import type { GapAge } from "../../detect/feed-memory.ts";
import type { Meter } from "../../model/meter.ts";
import type { PollCommit } from "../../model/poll-store.ts";
import type { TargetNews } from "../targets/target-trouble.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";

export interface PollOutcome extends TargetNews {
  readonly events: number;
  /** Items seen for the first time and recorded as baseline. */
  readonly baselined: readonly Subscriber[];
  /** Items that were not there before, of the subscriber that saw most. */
  readonly newItems: number;
  /**
   * When tweets that were new to every subscriber were posted, without old ones that a later read
   * shows first; service time, oldest first.
   */
  readonly postedMs: readonly number[];
  /**
   * Tweets of a feed that was read as deep as was asked; undefined where it was cut, or came back
   * empty and held items before.
   */
  readonly shown?: ReadonlySet<string>;
  /** Whether a list that held items before came back empty. */
  readonly isSuspicious: boolean;
  readonly lostGaps: number;
  /** Of a feed: gaps in its history that wait to be filled. */
  readonly openGaps?: readonly GapAge[];
  readonly tooOld: ReadonlyMap<string, number>;
  /** Of a list of accounts. */
  readonly list?: ListOutcome;
  /** What cut the poll after its first page; what was read before it is committed. */
  readonly error?: unknown;
}

export interface ListOutcome {
  /** Members reported as gone. */
  readonly left: number;
  /**
   * Members it did not find, who are gone when the next complete read does not find them either.
   */
  readonly awaited: number;
  /** Requests of the complete read that it ended; undefined where it ended none. */
  readonly pages?: number;
  /** What somebody waits for goes on with the next poll. */
  readonly isUnderWay: boolean;
}

/** A poll that asked nobody. */
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

/** One poll in numbers. */
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

/** What was found of each member was reported when it was read: the group adds up numbers only. */
export const joinOutcomes = (outcomes: readonly PollOutcome[]): PollOutcome => ({
  ...NOTHING_POLLED,
  events: outcomes.reduce((sum, { events }) => sum + events, 0),
  newItems: outcomes.reduce((sum, { newItems }) => sum + newItems, 0),
});
