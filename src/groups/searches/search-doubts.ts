/**
 * Merged answers that are no use: why, and what follows when their members were read by themselves.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { shrinkLimits, type sizeOfBatch } from "../../query/merging/merge.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PlannedMember } from "../../polling/read/read-merged.ts";
import type { RefusalBackoff } from "../../requests/refusal-backoff.ts";
import { quarantine, type SearchScene } from "./search-scene.ts";
import type { SearchTask } from "./search-tasks.ts";

/** The tasks are read by themselves at once. */
export interface Doubt {
  readonly tasks: readonly SearchTask[];
  /** Ids of tweets that are nobody's by our reading of the queries. */
  readonly unattributed: readonly string[];
  readonly reason: "unattributed" | "cut" | "refused" | "suspicious";
  /** Of a query that was refused for what it is. */
  readonly size?: ReturnType<typeof sizeOfBatch>;
}

export interface DoubtDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Groups whose merged answers were no use lately. */
  readonly uselessAnswers: RefusalBackoff;
}

const LONGEST_REST_MS = 86_400_000;
/** Unattributed results that are remembered as verified. */
const MAX_UNATTRIBUTED = 200;

/** `outcomes`: of those whose read came to its end, by poll key. */
export function resolveDoubt(
  scene: SearchScene,
  { tasks, unattributed, reason, size }: Doubt,
  outcomes: ReadonlyMap<string, PollOutcome>,
  { clock, log, uselessAnswers }: DoubtDeps,
): void {
  const isAllRead = outcomes.size === tasks.length;
  if (reason === "suspicious") {
    for (const { poll } of tasks)
      if ((outcomes.get(poll.key)?.shown?.size ?? 0) > 0) quarantine(scene, poll, reason, log);
    return;
  }
  if (size !== undefined) {
    // A query that the service refuses by itself too makes no other one too long.
    if (!isAllRead) return;
    scene.memory = {
      ...scene.memory,
      limits: shrinkLimits(scene.memory.limits, size, clock.now()),
    };
    scene.isWorthWriting = true;
    return log.info("a merged search was refused, asking for fewer searches at once", {
      searches: tasks.length,
    });
  }
  const unexplained = unattributed.filter((id) => {
    const owners = tasks.filter(({ poll }) => outcomes.get(poll.key)?.shown?.has(id) === true);
    for (const { poll } of owners) quarantine(scene, poll, "unattributed result", log);
    return owners.length === 0;
  });
  if (isAllRead)
    scene.memory = {
      ...scene.memory,
      strays: [...scene.memory.strays, ...unattributed].slice(-MAX_UNATTRIBUTED),
    };
  if (reason === "unattributed" && unexplained.length === 0) return;
  const restMs = uselessAnswers.holdMs(scene.group, LONGEST_REST_MS);
  log.warn("a merged search was no use, asking for each by itself for a while", {
    reason,
    searches: tasks.length,
    rest_ms: restMs,
  });
}

/** A moment is over by then. */
const SUSPICIOUS_RUNS = 3;

export interface SuspiciousSearches {
  /**
   * After a merged answer; the member whose newest tweet, known from before, was missing from
   * several in a row.
   */
  take(batch: readonly PlannedMember[], isSuspicious: boolean): PlannedMember | undefined;
}

/**
 * An answer without the newest tweet that is known: deleted, a suspicious empty response, or a
 * search that finds more by itself than together with others.
 */
export function createSuspiciousSearches(): SuspiciousSearches {
  const runs = new Map<string, { readonly newestMs: number; readonly count: number }>();
  return {
    take(batch, isSuspicious) {
      const newestOf = ({ memory }: PlannedMember) => memory.newestItemMs ?? 0;
      const owner = batch.reduce((best, one) => (newestOf(one) > newestOf(best) ? one : best));
      for (const one of batch) if (!isSuspicious || one !== owner) runs.delete(one.member.poll.key);
      if (!isSuspicious) return undefined;
      const before = runs.get(owner.member.poll.key);
      const count = before?.newestMs === newestOf(owner) ? before.count + 1 : 1;
      runs.set(owner.member.poll.key, { newestMs: newestOf(owner), count });
      return count === SUSPICIOUS_RUNS ? owner : undefined;
    },
  };
}
