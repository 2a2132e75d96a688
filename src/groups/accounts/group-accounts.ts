/** Polls of accounts that want the same schedule -> one poll of the group, which probes many accounts with one request and reads those that moved. Pure. */
import type { Hash } from "../../model/hash.ts";
import { groupSpreadMs } from "../../plan/polls/group-spread.ts";
import { joinMembers, sharedKey, type Members } from "../../plan/polls/kinds.ts";
import { type Poll, type Pollable, userIdOf } from "../../plan/poll.ts";
import { POSTS_PER_DAY } from "../../plan/polls/estimate.ts";
import { type SharedProbes } from "../probing/shared-probes.ts";
import { strategyCost } from "../../plan/strategy.ts";
import { middleOf } from "../../plan/range.ts";
import { spreadIn } from "../../plan/timing.ts";
import { costOfProbing } from "./account-estimate.ts";
import { fullPollEveryOf, strategyOf } from "../../plan/polls/effective-settings.ts";

const DAY_MS = 86_400_000;

/** Of the accounts that are probed on its schedule anyway, its probes cost nothing. */
export function withShared<T extends Pollable>(poll: Poll<T>, shared: SharedProbes): Poll<T> {
  const { group } = poll;
  if (group === undefined) return poll;
  const probesPerRun = shared.add(poll, group.members.map(userIdOf));
  const probesPerDay = (probesPerRun * DAY_MS) / poll.intervalMs;
  const { readsPerDay } = group.cost;
  const cost = strategyCost("probe", probesPerDay, readsPerDay, 0);
  return { ...poll, costRequests: ((probesPerDay + readsPerDay) * poll.intervalMs) / DAY_MS, group: { ...group, probesPerRun, cost } };
}

/** Undefined for a poll that shares its requests with nobody. */
export function accountsKey(poll: Poll): string | undefined {
  // Searches by author stand in for timelines only.
  const isProbed = poll.source.endpoint === "user-tweets" && poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  return isProbed && strategyOf(poll) !== "single" ? sharedKey(poll) : undefined;
}

export function toGroup<T extends Pollable>(kind: string, members: Members<T>, hash: Hash): Poll<T> {
  const [first] = members;
  const key = hash(`group\n${kind}`);
  const fullPollEveryMs = fullPollEveryOf(first);
  const group = {
    kind: "accounts" as const,
    members,
    override: strategyOf(first),
    ...(fullPollEveryMs === undefined ? {} : { fullPollEveryMs }),
  };
  const joined = joinMembers(members);
  const { intervalMs, timing } = first;
  const cost = costOfProbing(first, members.length, members.length * middleOf(POSTS_PER_DAY));
  return {
    ...first,
    key,
    source: { endpoint: "info-batch", params: {}, boundParam: "query" },
    spreadMs: spreadIn(timing, groupSpreadMs(first)),
    costRequests: ((cost.probesPerDay + cost.readsPerDay) * intervalMs) / DAY_MS,
    ...joined,
    group: { ...group, cost },
  };
}
