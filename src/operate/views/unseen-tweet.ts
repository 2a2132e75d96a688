/**
 * Explains why the polls of a feed did not find a tweet, from the tweet's id, the ranges of ids
 * that were read, and the time at which the watch began. Pure.
 */
import { isRead, readFeedMemory } from "../../detect/feed-memory.ts";
import { isoTime } from "../../model/clock.ts";
import { compareIds, timeOfTweetId } from "../../model/id.ts";
import type { SourceState } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Poll } from "../../plan/poll.ts";

export interface UnseenTweet {
  readonly id: string;
  readonly target: TargetState;
  readonly source: SourceState | undefined;
  readonly poll: Poll;
  /** Whether the feed contains only posts of the target's account. */
  readonly isAuthors: boolean;
  readonly nowMs: number;
}

/** The longest time that the service usually takes to show a new tweet. */
const LATE_MS = 60_000;

export function reasonOfFeed({ id, target, source, poll, isAuthors, nowMs }: UnseenTweet): string {
  const memory = readFeedMemory(source?.memory ?? {});
  const [newest] = memory.stretches;
  if (newest === undefined) return "its first read is not complete";
  const postedMs = timeOfTweetId(id);
  const { birth } = target.memory;
  if (isBefore(id, birth) && postedMs <= sinceMsOf(target))
    return `the watch began at ${isoTime(target.registeredAtMs)}, and tweets from before that raise no alerts: chirpwatch backfill can read them`;
  const readMs = memory.readAtMs ?? 0;
  if (compareIds(id, newest.high) > 0 && postedMs > readMs)
    return `it was last read at ${isoTime(readMs)}, before the tweet was posted${isProbed(poll) ? ", and the account's counters have shown no new tweet since" : ""}`;
  if (postedMs > nowMs - LATE_MS)
    return "it was read, but the service may not return such a new tweet yet";
  if (compareIds(id, newest.high) <= 0 && !isRead(memory.stretches, id))
    return "it is in a gap that is not read yet: a poll stopped early because of an error or too many pages";
  return `tweets of that time were read, but this one was not among them: ${whoseText(poll, target, isAuthors)}, or the service did not show it`;
}

const isBefore = (id: string, watermark: unknown): boolean =>
  typeof watermark === "string" && compareIds(id, watermark) <= 0;

/** Returns the time, in service time, after which tweets are new to a target. */
function sinceMsOf({ memory, registeredAtMs }: TargetState): number {
  const { since_ms: sinceMs } = memory;
  return typeof sinceMs === "number" ? sinceMs : registeredAtMs;
}

/** Whether the poll is part of a group whose members are read only if their counters change. */
const isProbed = (poll: Poll): boolean => poll.source.endpoint === "user-tweets";

function whoseText({ source }: Poll, target: TargetState, isAuthors: boolean): string {
  if (isAuthors) return `it is not by @${target.username ?? target.name}`;
  const { query } = source.params;
  return source.endpoint === "search-tweets" && typeof query === "string"
    ? `it does not match ${query}`
    : `it does not belong to ${target.name}`;
}
