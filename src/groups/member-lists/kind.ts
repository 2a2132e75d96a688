/**
 * Computes for plan and forecast how many requests it takes to read member lists as a group, which
 * requests all of their counters together. Pure.
 */
import { pollCost } from "../../plan/poll-cost.ts";
import { EXTRA_READS, MAX_MOVES_PER_DAY, MOVES_PER_DAY } from "../../plan/polls/estimate.ts";
import { dailyRead, isReadByEveryPoll, readsWholeList } from "../../plan/polls/full-read.ts";
import { type Range, times } from "../../plan/range.ts";
import { sum } from "../../plan/sum.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { placedReads } from "../single/feed-algorithms.ts";
import { costOfEach } from "../single/kind.ts";
import { listsOf } from "./list-groups.ts";

const DAY_MS = 86_400_000;

export const MEMBER_LISTS_KIND: GroupKind = {
  costOf(poll, facts) {
    const { group } = poll;
    const { pollsPerDay } = facts;
    if (group === undefined || listsOf(poll, facts).every(({ isReadEveryTick }) => isReadEveryTick))
      return costOfEach(poll, facts);
    const { members, probesPerRun = 1, fullPollEveryMs } = group;
    const lists = members.map((list) => {
      const pages = Math.max(1, facts.pagesOf(list) ?? 1);
      return isReadByEveryPoll(list)
        ? { pages, whole: 0 }
        : { pages: 1, whole: dailyRead(list, pollsPerDay, pages) };
    });
    const pages = sum(lists, (list) => list.pages);
    const wholeReads = sum(lists, (list) => list.whole);
    const longest = Math.max(...lists.map((list) => list.pages));
    const readsFor = (changesPerDay: number, pagesOfEach: number): number =>
      Math.min(changesPerDay, pollsPerDay) * pagesOfEach;
    const at = (end: keyof Range): number =>
      pollsPerDay * probesPerRun +
      readsFor(MOVES_PER_DAY[end], pages - longest) +
      readsFor(MAX_MOVES_PER_DAY[end], longest) +
      wholeReads;
    const fullPolls = fullPollEveryMs === undefined ? 0 : (pages * DAY_MS) / fullPollEveryMs;
    const { low, high } = times({ low: at("low"), high: at("high") }, EXTRA_READS);
    const hasLengths = members.every(
      (one) => !readsWholeList(one) || facts.pagesOf(one) !== undefined,
    );
    const cost = { strategy: "probe", pollsPerDay, sweepsPerDay: wholeReads + fullPolls };
    // A read that was caused by a change postpones the next full poll of its list, so there may be
    // only half as many full polls.
    return pollCost({ ...cost, range: { low: low + fullPolls / 2, high: high + fullPolls } }, [
      "moves",
      !hasLengths && "lengths",
    ]);
  },
  placed: placedReads,
};
