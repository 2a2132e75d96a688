/**
 * What a group of accounts is expected to cost before anything was counted: probes, searches for what they find, and full polls.
 * docs/forecast.md has an example. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Poll, PollGroup, PollTiming } from "../../plan/poll.ts";
import { type PollCost, pollCost } from "../../plan/poll-cost.ts";
import { EXTRA_READS, POSTS_PER_DAY, type Probing, probingForMean, searchesFor } from "../../plan/polls/estimate.ts";
import { exactly, middleOf, plus, type Range, times } from "../../plan/range.ts";
import { type StrategyCost, strategyCost } from "../../plan/strategy.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../query/merging/merge.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";

const DAY_MS = 86_400_000;

/** A round of a p95 requests the busy accounts and a quarter of the others: of all accounts, none to half are busy. */
const BUSY_AND_A_QUARTER: Range = { low: 0.25, high: 0.625 };

/** Probes and reads of what moved, where so much is posted a day in all. By the schedule, or by even intervals under freshness. */
export function costOfProbing(poll: Pick<Poll, "timing" | "intervalMs">, accounts: number, postsPerDay: number): StrategyCost {
  const { probes, runs } = probingOf(poll.timing, accounts, DAY_MS / poll.intervalMs);
  return strategyCost("probe", middleOf(probes), searchesFor(postsPerDay, middleOf(runs)), 0);
}

export function costOfAccounts(poll: Poll, group: PollGroup, pollsPerDay: number): PollCost {
  const posts = times(exactly(group.members.length), POSTS_PER_DAY);
  const found = probed(poll, posts, pollsPerDay);
  const full = fullPolls(group);
  const range = plus(times(found, EXTRA_READS), full);
  const sweepsPerDay = middleOf(full) + middleOf(times(found, EXTRA_READS)) - middleOf(found);
  return pollCost({ strategy: "probe", pollsPerDay, sweepsPerDay, range }, ["posts"]);
}

function probed(poll: Poll, posts: Range, pollsPerDay: number): Range {
  const { members = [], probesPerRun } = poll.group ?? {};
  const { probes, runs } = probingOf(poll.timing, members.length, pollsPerDay, probesPerRun);
  const own = poll.group?.mayBePiggybacked === true ? { low: 0, high: probes.high } : probes;
  return plus(own, { low: searchesFor(posts.low, runs.low), high: searchesFor(posts.high, runs.high) });
}

function probingOf(timing: PollTiming, accounts: number, pollsPerDay: number, probesPerRun?: number): Probing {
  const batches = accounts / BATCH_SIZE;
  if (timing.kind === "schedule")
    return { probes: exactly(pollsPerDay * (probesPerRun ?? Math.ceil(batches))), runs: exactly(pollsPerDay) };
  const roundsPerDay = probeAlgorithm(timing.freshness).runsPerDay(accounts);
  if (roundsPerDay === undefined) return probingForMean(accounts, pollsPerDay);
  const runs = exactly(roundsPerDay);
  return { probes: accounts <= BATCH_SIZE ? runs : times(times(runs, exactly(batches)), BUSY_AND_A_QUARTER), runs };
}

/** Of a configured `full_poll_every`: about half of them are piggybacked on searches for news. Others are among the extra reads. */
function fullPolls({ members, fullPollEveryMs }: PollGroup): Range {
  if (fullPollEveryMs === undefined) return exactly(0);
  const searches = (DAY_MS / fullPollEveryMs) * Math.ceil(members.length / handlesPerQuery(FIRST_LIMITS));
  return { low: searches / 2, high: searches };
}
