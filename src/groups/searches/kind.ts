/** Searches that share queries, as plan and forecast see them. Pure. */
import { pollCost } from "../../plan/poll-cost.ts";
import { EXTRA_READS, readsOf } from "../../plan/polls/estimate.ts";
import { times } from "../../plan/range.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { placedReads } from "../single/feed-algorithms.ts";
import { costOfEach } from "../single/kind.ts";

const DAY_MS = 86_400_000;

export const SEARCHES_KIND: GroupKind = {
  costOf(poll, facts) {
    const { group, intervalMs, timing } = poll;
    if (group === undefined) return costOfEach(poll, facts);
    const { readsPerDay, sweepsPerDay } = group.cost;
    const reads = (readsPerDay * intervalMs * facts.pollsPerDay) / DAY_MS;
    const all = times({ low: reads, high: reads + sweepsPerDay }, EXTRA_READS);
    const cost = { strategy: group.cost.strategy, pollsPerDay: facts.pollsPerDay, sweepsPerDay };
    return pollCost({ ...cost, range: times(all, readsOf(timing)) }, [timing.kind === "freshness" && "pace", "pages"]);
  },
  placed: placedReads,
  partsOf: (poll) => [poll],
  probeKeys: () => [],
};
