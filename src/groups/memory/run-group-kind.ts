/**
 * One run of a group, of whatever kind: read what was learned, let the kind read its targets, store what it learned. Owns the order of these
 * steps; what is read and what it means is the kind's.
 */
import type { Clock } from "../../model/clock.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { GroupMemories } from "./learned.ts";
import type { LearnedValues } from "./learned-values.ts";

export interface BegunRun<Memory> {
  readonly group: Poll;
  /** As the last run left it. */
  readonly memory: Memory;
  readonly startedAtMs: number;
}

export interface ReadRun<Memory> {
  readonly memory: Memory;
  /** A crash would cost more than one run. */
  readonly isWorthWriting?: boolean;
  readonly outcome: PollOutcome;
  /** What kept a part of the group from being read; thrown once what was learned is stored. */
  readonly failure?: Error | undefined;
  /** Asked at the end: when the next run is worth its requests, wall time; undefined: at the next tick. */
  readonly nextDueMs?: () => number | undefined | Promise<number | undefined>;
}

export interface GroupRunParts<Memory> {
  readonly memories: GroupMemories<Memory>;
  /** Learned beside the group's own memory. */
  readonly learned: readonly Pick<LearnedValues<object>, "load" | "flush">[];
  readonly clock: Clock;
  readonly read: (run: BegunRun<Memory>) => Promise<ReadRun<Memory>>;
}

export async function runGroupKind<Memory extends object>(
  { memories, learned, clock, read }: GroupRunParts<Memory>,
  group: Poll,
): Promise<GroupRun> {
  const startedAtMs = clock.now();
  await Promise.all(learned.map((one) => one.load()));
  const { memory, isWorthWriting, outcome, failure, nextDueMs } = await read({ group, memory: await memories.get(group), startedAtMs });
  memories.put(group, memory, isWorthWriting);
  await memories.save(group, startedAtMs, clock.now());
  for (const one of learned) await one.flush();
  if (failure !== undefined) throw failure;
  return { outcome, nextDueMs: await nextDueMs?.() };
}
