/** Searches that share queries, as plan and forecast see them. Pure. */
import { restsOn, restsOnKnown } from "../../plan/rates/basis.ts";
import type { Poll, PollGroup } from "../../plan/poll.ts";
import { groupCost, type PollCost } from "../../plan/poll-cost.ts";
import { newsPages, rescanRequests } from "../../plan/polls/feed-cost.ts";
import { pagesBeyondFirst } from "../../plan/polls/feed-pages.ts";
import { growLimits } from "../../query/merging/merge.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { restoreStrategy } from "../kind/stored-strategy.ts";
import { placedReads } from "../single/feed-algorithms.ts";
import { shareKey } from "../single/feed-pace.ts";
import { isAlone, restoreSearches, type SearchGroupMemory } from "./search-memory.ts";

const DAY_MS = 86_400_000;

export const SEARCHES_KIND: GroupKind = {
  costOf(poll, { pollsPerDay, itemsPerDay }) {
    const base = groupCost(poll, pollsPerDay);
    return poll.group === undefined || itemsPerDay === undefined ? base : withPages(poll, poll.group, base, itemsPerDay);
  },
  placed: placedReads,
  itemsPerDay: ({ group }, ofFeed) =>
    (group?.members ?? [])
      .map(ofFeed)
      .reduce((total, count) => (total === undefined || count === undefined ? undefined : total + count), 0),
  basisOf(poll, { rateOf }) {
    if (poll.timing.kind === "schedule") return restsOn("schedule");
    return restsOnKnown([rateOf(shareKey(poll.key)) === undefined && "even"]);
  },
  ratedMembers: () => [],
  partsOf: (poll) => [poll],
  probeKeys: () => [],
  restoreStrategy(stored, nowMs) {
    const strategy = restoreStrategy(stored);
    if (strategy === undefined) return undefined;
    const { limits, members } = restoreSearches(stored as Partial<SearchGroupMemory>);
    const alone = Object.entries(members).flatMap(([key, member]) => (isAlone(member, nowMs) || member.isBusy === true ? [key] : []));
    return { ...strategy, limits: growLimits(limits, nowMs), alone: new Set(alone) };
  },
};

/** What each query finds takes pages beyond the first, and so do its late-arrival rescans, and the verification reads of its members. */
function withPages(poll: Poll, { members, cost }: PollGroup, base: PollCost, itemsPerDay: number): PollCost {
  const queries = (cost.readsPerDay * poll.intervalMs) / DAY_MS;
  if (queries === 0) return base;
  const news = queries * newsPages(poll, base.pollsPerDay, itemsPerDay / queries);
  const rescans = queries * rescanRequests(poll, base.pollsPerDay, itemsPerDay / queries);
  // As deep as the last verification read of the same member.
  const verificationDays = cost.sweepsPerDay === 0 ? 0 : members.length / cost.sweepsPerDay + poll.overlapMs / DAY_MS;
  const verificationPages = cost.sweepsPerDay * pagesBeyondFirst((itemsPerDay / members.length) * verificationDays);
  const sweepsPerDay = base.sweepsPerDay + rescans + verificationPages;
  return { ...base, itemsPerDay, sweepsPerDay, requestsPerDay: base.requestsPerDay + news + rescans + verificationPages };
}
