/** Timelines of accounts that are read together, as plan and forecast see them. Pure. */
import { type Known, restsOn, restsOnKnown, type WatchBasis } from "../../plan/rates/basis.ts";
import { expectedDelay } from "../../plan/delay-aims.ts";
import { type Poll, userIdOf } from "../../plan/poll.ts";
import { groupCost } from "../../plan/poll-cost.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { roundEveryMs } from "./probe-on-time.ts";

const DAY_MS = 86_400_000;

export const ACCOUNTS: GroupKind = {
  costOf: (poll, { pollsPerDay }) => groupCost(poll, pollsPerDay),
  expectedDelay,
  freshRunsPerDay({ group }, freshness) {
    if (group === undefined || group.cost.probesPerDay < 1) return 0;
    return freshness.kind === "p95" ? DAY_MS / roundEveryMs(freshness, group.members.length) : group.cost.probesPerDay;
  },
  itemsPerDay: () => undefined,
  basisOf: (poll, known) => basisOfAccounts(poll, poll.group?.members ?? [], known),
  ratedMembers: ({ cost, members }) => (cost.strategy === "single" ? [] : members),
  partsOf: (poll) => [poll],
  probeKeys: ({ members }) => members.map(userIdOf),
  // How it is read is known by what was counted: see `countOf` of what planning has learned.
  restoreStrategy: () => undefined,
};

function basisOfAccounts({ key, freshness, group }: Poll, members: readonly Poll[], { rateOf, countOf, changesOf }: Known): WatchBasis {
  const counted = countOf(key, members.length);
  const isCounted = counted?.reads !== undefined && (freshness === undefined || counted.probes !== undefined);
  if (isCounted && counted.strategy === group?.cost.strategy) return restsOn("counted");
  if (group?.cost.strategy === "single") return restsOn("schedule");
  const isProbed = group?.cost.strategy === "probe";
  return restsOnKnown([
    !members.every((one) => rateOf(userIdOf(one)) !== undefined) && "posts",
    isProbed && changesOf(key) === undefined && "changes",
  ]);
}
