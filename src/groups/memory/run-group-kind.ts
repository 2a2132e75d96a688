/**
 * One run of a group, of whatever kind: let the kind read its targets, store what it learned, and that it ran. Owns the order of these
 * steps; what is read and what it means is the kind's.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { LearnedValues } from "./learned-values.ts";

export interface ReadRun {
  readonly outcome: PollOutcome;
  /** What kept a part of the group from being read; thrown once what was learned is stored. */
  readonly failure?: Error | undefined;
  /** Asked at the end: when the next run is worth its requests, wall time; undefined: at the next tick. */
  readonly nextDueMs?: () => number | undefined | Promise<number | undefined>;
}

export interface GroupRunParts {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll">;
  readonly clock: Clock;
  /** What its runs learn. */
  readonly learned: readonly Pick<LearnedValues<object>, "flush">[];
  readonly read: (startedAtMs: number) => Promise<ReadRun>;
}

export async function runGroupKind({ store, learned, clock, read }: GroupRunParts, group: Poll): Promise<GroupRun> {
  const startedAtMs = clock.now();
  const { outcome, failure, nextDueMs } = await read(startedAtMs);
  for (const one of learned) await one.flush();
  const [source] = await store.loadSources([group.key]);
  const polled = { fingerprint: group.key, expectedRevision: source?.revision ?? 0, polledAtMs: startedAtMs, ok: true };
  await store.commitPoll({ atMs: clock.now(), source: polled, targets: [], verdicts: [], events: [], deliveries: [] });
  if (failure !== undefined) throw failure;
  return { outcome, nextDueMs: await nextDueMs?.() };
}

const WRITE_EVERY_MS = 600_000;

/** What groups of one kind have learned as a whole, each under the key of its poll. `restore`: fills in what is not learned yet, and mends what a stop may have made stale. */
export const createGroupMemories = <Memory extends object>(
  store: LearnedStore,
  clock: Clock,
  restore: (stored: Partial<Memory>) => Memory,
): LearnedValues<Memory> =>
  new LearnedValues<Memory>({
    scope: "groups",
    store,
    clock,
    writeEveryMs: WRITE_EVERY_MS,
    restore: (stored) => restore(stored as Partial<Memory>),
  });
