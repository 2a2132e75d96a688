/**
 * Computes for plan and forecast how many requests it takes to read the timelines of accounts as a
 * group. Pure.
 */
import { expectedDelay } from "../../plan/delay-aims.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { costOfEach } from "../single/kind.ts";
import { costOfAccounts } from "./account-estimate.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";

export const ACCOUNTS_KIND: GroupKind = {
  costOf(poll, facts) {
    const { group } = poll;
    return group === undefined
      ? costOfEach(poll, facts)
      : costOfAccounts({ ...poll, group }, facts.pollsPerDay);
  },
  placed: ({ group }, { freshness }) => ({
    delay: expectedDelay(freshness),
    perDay: probeAlgorithm(freshness).runsPerDay(group?.members.length ?? 1),
  }),
};
