/** Computes for plan and forecast how many requests it takes to read a poll on its own. Pure. */
import type { Poll } from "../../plan/poll.ts";
import { type PollCost, pollCost } from "../../plan/poll-cost.ts";
import { readsOf } from "../../plan/polls/estimate.ts";
import { dailyRead, isReadByEveryPoll, readsWholeList } from "../../plan/polls/full-read.ts";
import { MEMBERS_PER_PAGE } from "../../plan/polls/whole-reads.ts";
import { exactly, plus, times } from "../../plan/range.ts";
import { sum } from "../../plan/sum.ts";
import type { CostFacts, GroupKind } from "../kind/group-kind.ts";
import { placedReads } from "./feed-algorithms.ts";

const DAY_MS = 86_400_000;

export const SINGLE_KIND: GroupKind = {
  costOf: costOfOne,
  placed: placedReads,
};

function costOfOne(poll: Poll, { pollsPerDay, pagesOf }: CostFacts): PollCost {
  const sweepsPerDay = rescansPerDay(poll, pollsPerDay);
  const pages = pagesOf(poll);
  const polls = pollsPerDay * poll.costRequests;
  const reads = times({ low: polls, high: polls + sweepsPerDay }, readsOf(poll.timing));
  const accounts = listedAccounts(poll);
  const checks = Math.ceil(accounts / MEMBERS_PER_PAGE);
  const others = exactly(fullReadRequests(poll, pollsPerDay, Math.max(1, pages ?? 1)) + checks);
  const missing = { low: 0, high: accounts > 0 ? pollsPerDay : 0 };
  const range = [others, missing].reduce(plus, reads);
  const isFeed = poll.detector === "feed";
  return pollCost({ strategy: "single", pollsPerDay, sweepsPerDay, range }, [
    accounts > 0 && "listed",
    isFeed && poll.timing.kind === "freshness" && "pace",
    isFeed && "pages",
    readsWholeList(poll) && pages === undefined && "lengths",
  ]);
}

/** Returns the cost of a group if each of its members is read on its own. */
export function costOfEach({ group }: Poll, facts: CostFacts): PollCost {
  const costs = (group?.members ?? []).map((member) => costOfOne(member, facts));
  const sweepsPerDay = sum(costs, (one) => one.sweepsPerDay);
  const range = costs.reduce((total, one) => plus(total, one.range), exactly(0));
  return {
    strategy: "single",
    pollsPerDay: facts.pollsPerDay,
    sweepsPerDay,
    range,
    assumptions: costs[0]?.assumptions ?? [],
  };
}

/**
 * Returns the number of rescans per day. Once per `overlap`, a feed is read one page deeper, unless
 * its first page already reaches back that far. The first page of a timeline does. A search is
 * bounded by time, so the rescan is part of the poll's own request.
 */
function rescansPerDay(
  { detector, source: { endpoint, boundParam }, overlapMs }: Poll,
  pollsPerDay: number,
): number {
  const gapMs = DAY_MS / pollsPerDay;
  if (
    detector !== "feed" ||
    boundParam !== undefined ||
    endpoint === "user-tweets" ||
    overlapMs <= gapMs
  )
    return 0;
  return DAY_MS / (Math.ceil(overlapMs / gapMs) * gapMs);
}

/**
 * Returns the requests per day for full reads of a list. If members who leave are reported, every
 * poll continues to read the whole list, by at most `max_pages`. Any other list is read completely
 * once a day.
 */
function fullReadRequests(poll: Poll, pollsPerDay: number, pages: number): number {
  if (!isReadByEveryPoll(poll)) return dailyRead(poll, pollsPerDay, pages);
  const pollsOfOneRead = Math.ceil(pages / poll.maxPages);
  return pollsPerDay * (pages / pollsOfOneRead - 1);
}

/**
 * Returns the number of accounts that are read through a public list. A daily check shows whether
 * the list contains all of them. Those that it lacks are read on their own, which takes up to one
 * request per tick for all of them.
 */
const listedAccounts = ({ source, subscribers }: Poll): number =>
  source.endpoint === "list-tweets"
    ? new Set(subscribers.flatMap(({ author }) => author ?? [])).size
    : 0;
