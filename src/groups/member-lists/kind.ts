/** Member lists whose counters are asked for together, as plan and forecast see them. Pure. */
import { restsOnKnown } from "../../plan/rates/basis.ts";
import { groupCost } from "../../plan/poll-cost.ts";
import { readsWholeList } from "../../plan/polls/full-read.ts";
import type { GroupKind } from "../kind/group-kind.ts";
import { restoreStrategy } from "../kind/stored-strategy.ts";
import { placedReads } from "../single/feed-algorithms.ts";

export const MEMBER_LISTS_KIND: GroupKind = {
  costOf: (poll, { pollsPerDay }) => groupCost(poll, pollsPerDay),
  placed: placedReads,
  itemsPerDay: () => undefined,
  basisOf({ group }, { rateOf, isLengthKnown }) {
    const members = group?.members ?? [];
    const isMoving = members.every(({ key }) => rateOf(key) !== undefined);
    const hasLengths = members.every((one) => !readsWholeList(one) || isLengthKnown(one));
    return restsOnKnown([!isMoving && "moves", !hasLengths && "lengths"]);
  },
  ratedMembers: () => [],
  // A list that takes another one's place is read at once.
  partsOf: (poll) => poll.group?.members ?? [poll],
  probeKeys: ({ members }) => members.map(({ key }) => key),
  restoreStrategy,
};
