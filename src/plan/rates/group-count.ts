/** What a group of accounts takes, counted for its strategy and for as many accounts as it has: another strategy takes something else. Pure. */
import { type Counted, type CountedKind, countRequests, type RequestCount } from "./request-count.ts";
import type { Strategy } from "../strategy.ts";

export interface GroupCount {
  readonly strategy: Strategy;
  readonly members: number;
  readonly counts: Readonly<Record<CountedKind, RequestCount>>;
}

/** What a run of it just took. */
export interface GroupTaken {
  readonly strategy: Strategy;
  readonly members: number;
  readonly requests: Readonly<Record<CountedKind, number>>;
  /** From one run to the next. */
  readonly intervalMs: number;
}

/** Its strategy, and what whole days took by it; undefined before there were any. */
export interface GroupCounted extends Readonly<Record<CountedKind, Counted | undefined>> {
  readonly strategy: Strategy;
}

/** Rates of accounts take longer to learn than a day: on its second day a group takes 3% to 8% more than later. */
const LEARNING_MS = 2 * 86_400_000;

export function countRun(
  known: GroupCount | undefined,
  { strategy, members, requests, intervalMs }: GroupTaken,
  nowMs: number,
): GroupCount {
  const before = known?.strategy === strategy && known.members === members ? known.counts : undefined;
  const rhythm = { intervalMs, learningMs: LEARNING_MS };
  const count = (kind: CountedKind): RequestCount => countRequests(before?.[kind], requests[kind], nowMs, rhythm);
  return { strategy, members, counts: { probes: count("probes"), reads: count("reads") } };
}

/** Undefined of a group of another size: with others it is another one. */
export function countedOf(known: GroupCount | undefined, members: number): GroupCounted | undefined {
  if (known === undefined || known.members !== members) return undefined;
  const { strategy, counts } = known;
  return { strategy, probes: counts.probes.counted, reads: counts.reads.counted };
}
