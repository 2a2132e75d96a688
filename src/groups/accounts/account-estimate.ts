/**
 * Estimates how many requests per day a group of accounts costs while nothing was counted yet: for
 * probes, for the searches that read what they find, and for full polls. docs/forecast.md has an
 * example. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import { FULL_POLL_SHARE, fullPollWithin } from "../../plan/full-polls.ts";
import type { Poll, PollGroup } from "../../plan/poll.ts";
import { type PollCost, pollCost } from "../../plan/poll-cost.ts";
import { maxAgeOf } from "../../plan/polls/effective-settings.ts";
import {
  EXTRA_READS,
  POSTS_PER_DAY,
  type Probing,
  probingForMean,
  searchesFor,
} from "../../plan/polls/estimate.ts";
import { exactly, middleOf, plus, type Range, times } from "../../plan/range.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../query/merging/merge.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";

const DAY_MS = 86_400_000;

/**
 * The share of a group's accounts that a round requests if the group's `freshness` is a p95 limit.
 * A round requests the busy accounts and a quarter of the others; between none and half of the
 * accounts are assumed to be busy.
 */
const BUSY_AND_A_QUARTER: Range = { low: 0.25, high: 0.625 };

/** The parts of a group on which its cost depends. */
type ProbedPoll = Pick<Poll, "timing" | "intervalMs" | "subscribers"> & {
  readonly group: PollGroup;
};

export function costOfAccounts(poll: ProbedPoll, pollsPerDay: number): PollCost {
  const found = probedRequests(poll, pollsPerDay);
  const full = writtenFullPolls(poll.group);
  const range = plus(times(found, EXTRA_READS), full);
  const sweepsPerDay = middleOf(full) + middleOf(times(found, EXTRA_READS)) - middleOf(found);
  return pollCost({ strategy: "probe", pollsPerDay, sweepsPerDay, range }, ["posts"]);
}

/**
 * Returns the requests per day for probes and for the searches that read what they find. If
 * `pollsPerDay` is not given, it follows from the poll's interval.
 */
export function probedRequests(poll: ProbedPoll, pollsPerDay = DAY_MS / poll.intervalMs): Range {
  const { group } = poll;
  const { probes, runs } = probingOf(poll, pollsPerDay);
  const posts = times(exactly(group.members.length), POSTS_PER_DAY);
  const own = group.mayBePiggybacked === true ? { low: 0, high: probes.high } : probes;
  return plus(own, {
    low: searchesFor(posts.low, runs.low),
    high: searchesFor(posts.high, runs.high),
  });
}

function probingOf({ timing, group }: ProbedPoll, pollsPerDay: number): Probing {
  const accounts = group.members.length;
  const batches = accounts / BATCH_SIZE;
  if (timing.kind === "schedule")
    return {
      probes: exactly(pollsPerDay * (group.probesPerRun ?? Math.ceil(batches))),
      runs: exactly(pollsPerDay),
    };
  const roundsPerDay = probeAlgorithm(timing.freshness).runsPerDay(accounts);
  if (roundsPerDay === undefined) return probingForMean(accounts, pollsPerDay);
  const runs = exactly(roundsPerDay);
  return {
    probes:
      accounts <= BATCH_SIZE ? runs : times(times(runs, exactly(batches)), BUSY_AND_A_QUARTER),
    runs,
  };
}

/**
 * Returns the requests per day for full polls if `full_poll_every` is configured; 0 if it is not,
 * because `EXTRA_READS` then includes the full polls. The lower bound is half of the upper one,
 * because about half of the accounts may be added to searches for new posts at no cost.
 */
function writtenFullPolls({ members, fullPollEveryMs }: PollGroup): Range {
  if (fullPollEveryMs === undefined) return exactly(0);
  const searches = (DAY_MS / fullPollEveryMs) * searchesOfAll(members.length);
  return { low: searches / 2, high: searches };
}

/**
 * Returns the time between two full polls of an account, in ms. A full poll reads an account even
 * if no probe shows a change.
 */
export function fullPollEvery(poll: ProbedPoll): number {
  const { intervalMs, group } = poll;
  if (group.fullPollEveryMs !== undefined) return group.fullPollEveryMs;
  const roundsPerDay = Math.floor(
    (middleOf(probedRequests(poll)) * FULL_POLL_SHARE) / searchesOfAll(group.members.length),
  );
  const maxAgeMs = maxAgeOf(poll);
  return fullPollWithin(roundsPerDay < 1 ? maxAgeMs : DAY_MS / roundsPerDay, intervalMs, maxAgeMs);
}

const searchesOfAll = (accounts: number): number =>
  Math.ceil(accounts / handlesPerQuery(FIRST_LIMITS));
