/** Timelines of accounts that are read together, as plan and forecast see them. Pure. */
import type { Freshness } from "../../model/schedule.ts";
import { type Known, restsOn, restsOnKnown, type WatchBasis } from "../../plan/rates/basis.ts";
import { expectedDelay } from "../../plan/delay-aims.ts";
import { type Poll, type PollGroup, userIdOf } from "../../plan/poll.ts";
import { groupCost } from "../../plan/poll-cost.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";

export const ACCOUNTS_KIND: GroupKind = {
  costOf: (poll, { pollsPerDay }) => groupCost(poll, pollsPerDay),
  placed: ({ group }, { freshness }) => ({
    delay: expectedDelay(freshness),
    perDay: group === undefined ? 0 : runsPerDay(group, freshness),
  }),
  itemsPerDay: () => undefined,
  basisOf: (poll, known) => basisOfAccounts(poll, poll.group?.members ?? [], known),
  ratedMembers: ({ cost, members }) => (cost.strategy === "single" ? [] : members),
  partsOf: (poll) => [poll],
  probeKeys: ({ members }) => members.map(userIdOf),
  // How it is read is known by what was counted: see `countOf` of what planning has learned.
  restoreStrategy: () => undefined,
};

const runsPerDay = ({ cost, members }: PollGroup, freshness: Freshness): number =>
  cost.probesPerDay < 1 ? 0 : probeAlgorithm(freshness).runsPerDay(members.length, cost.probesPerDay);

function basisOfAccounts({ key, group }: Poll, members: readonly Poll[], { rateOf, countOf, changesOf }: Known): WatchBasis {
  const counted = countOf(key, members.length);
  if (counted?.reads !== undefined && counted.strategy === group?.cost.strategy) return restsOn("counted");
  if (group?.cost.strategy === "single") return restsOn("schedule");
  const isProbed = group?.cost.strategy === "probe";
  return restsOnKnown([
    !members.every((one) => rateOf(userIdOf(one)) !== undefined) && "posts",
    isProbed && changesOf(key) === undefined && "changes",
  ]);
}
