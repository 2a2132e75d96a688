/**
 * Decides what follows from the answer to a merged search that cannot be used, after its members
 * were read on their own.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { shrinkLimits, type sizeOfBatch } from "../../query/merging/merge.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PlannedMember } from "../../polling/read/read-merged.ts";
import type { RefusalBackoff } from "../../requests/refusal-backoff.ts";
import { quarantine, type SearchScene } from "./search-scene.ts";
import type { SearchTask } from "./search-tasks.ts";

/**
 * An answer to a merged search that cannot be used. The searches in `tasks` are immediately read on
 * their own.
 */
export interface Doubt {
  readonly tasks: readonly SearchTask[];
  /** The ids of tweets that match none of the members' queries, as chirpwatch interprets them. */
  readonly unattributed: readonly string[];
  readonly reason: "unattributed" | "cut" | "refused" | "suspicious";
  /** The size of the merged query; only set if the service refused the query as a bad request. */
  readonly size?: ReturnType<typeof sizeOfBatch>;
}

export interface DoubtDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Groups whose merged searches returned answers that could not be used recently. */
  readonly uselessAnswers: RefusalBackoff;
}

const MAX_REST_MS = 86_400_000;
/** The number of unattributed results that are remembered so that they cause no doubt again. */
const MAX_UNATTRIBUTED = 200;

/**
 * Decides what follows from a doubt: members are quarantined, merged queries become shorter, or
 * nothing is merged for a while. `outcomes`: the outcomes of the members' own reads that were
 * complete, by poll key.
 */
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
    // If the service refuses one of the queries even on its own, the length of the merged query was
    // not the reason.
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
  const restMs = uselessAnswers.recordRefusal(scene.group, MAX_REST_MS);
  log.warn("a merged search found too little, sending each search by itself for a while", {
    reason,
    searches: tasks.length,
    rest_ms: restMs,
  });
}

/**
 * The number of runs in a row after which the absence of the newest known tweet is no longer taken
 * for a momentary fault.
 */
const SUSPICIOUS_RUNS = 3;

export interface SuspiciousSearches {
  /**
   * Counts the answers that lacked the newest known tweet. If the same tweet was missing from
   * several answers in a row, returns the member that found this tweet earlier; otherwise
   * undefined.
   */
  countAnswer(batch: readonly PlannedMember[], isSuspicious: boolean): PlannedMember | undefined;
}

/**
 * Creates a counter for answers that lack the newest known tweet. Such an answer means that the
 * tweet was deleted, that the service returned a suspiciously empty response, or that the search
 * finds more on its own than in a merged query.
 */
export function createSuspiciousSearches(): SuspiciousSearches {
  const runs = new Map<string, { readonly newestMs: number; readonly count: number }>();
  return {
    countAnswer(batch, isSuspicious) {
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
