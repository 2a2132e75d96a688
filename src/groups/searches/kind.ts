/**
 * Computes for plan and forecast how many requests it takes to read searches that share queries.
 * Pure.
 */
import { pollCost } from "../../plan/poll-cost.ts";
import { EXTRA_READS, readsOf } from "../../plan/polls/estimate.ts";
import { times } from "../../plan/range.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { placedReads } from "../single/feed-algorithms.ts";
import { costOfEach } from "../single/kind.ts";
import { verificationOf } from "./search-groups.ts";

export const SEARCHES_KIND: GroupKind = {
  costOf(poll, facts) {
    const { group, timing } = poll;
    const { pollsPerDay } = facts;
    if (group === undefined) return costOfEach(poll, facts);
    const { queries, perDay: sweepsPerDay } = verificationOf(poll);
    const reads = queries * pollsPerDay;
    const all = times({ low: reads, high: reads + sweepsPerDay }, EXTRA_READS);
    const cost = { strategy: "merge", pollsPerDay, sweepsPerDay };
    return pollCost({ ...cost, range: times(all, readsOf(timing)) }, [
      timing.kind === "freshness" && "pace",
      "pages",
    ]);
  },
  placed: placedReads,
};
