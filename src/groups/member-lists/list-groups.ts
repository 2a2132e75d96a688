/**
 * Polls of lists of accounts (followers, accounts followed) -> one poll of the group, which probes the counters of a hundred accounts with
 * one request and reads the lists whose counter moved. Owns which polls can do that and what it costs; when a change is accounted for is
 * list-reads.ts, the probing and reading is the engine's. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Hash } from "../../model/hash.ts";
import type { StrategyOverride } from "../../model/schedule.ts";
import { groupSpreadMs, schedulesKey } from "../../plan/polls/group-spread.ts";
import { dailyRead, isReadByEveryPoll } from "../../plan/polls/full-read.ts";
import { joinMembers, sharedKey, type Members, sortByKind } from "../../plan/polls/kinds.ts";
import { type Poll, type Pollable, type PollGroup, userIdOf } from "../../plan/poll.ts";
import { MOVES_PER_DAY } from "../../plan/polls/estimate.ts";
import type { SharedProbes } from "../probing/shared-probes.ts";
import { strategyCost, FULL_POLL_SHARE, fullPollWithin, type StrategyCost } from "../../plan/strategy.ts";
import { sum } from "../../plan/sum.ts";
import { fullPollEveryOf, maxAgeOf, strategyOf } from "../../plan/polls/effective-settings.ts";

const DAY_MS = 86_400_000;
/** Another strategy must save so much before it is taken, so that noise changes nothing. */
const WORTHWHILE = 0.85;

export interface ListGroupDeps {
  readonly hash: Hash;
  /** Requests of a read of a poll's whole list; 1 where it is short or its length is not known. */
  readonly pagesOf?: (poll: Poll) => number;
}

/** The polls that stay as they are, then the groups. A group keeps its key when accounts come and go. `shared`: who is probed anyway. */
export function groupMemberLists<T extends Pollable>(
  polls: readonly Poll<T>[],
  deps: ListGroupDeps,
  shared: SharedProbes,
): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, listsKey);
  const alone: Poll<T>[] = [];
  const groups: Poll<T>[] = [];
  for (const [kind, members] of kinds) {
    const [first] = members;
    // By the configuration alone, so that replicas agree: how the other groups are read depends on what was learned.
    const isBeside = shared.has(first) || groups.some((group) => schedulesKey(group) === schedulesKey(first));
    // One short list is read as cheaply as its counter; a long one that is read whole is not.
    const isWorthIt = members.length > 1 || strategyOf(first) === "probe" || isReadByEveryPoll(first) || isBeside;
    if (isWorthIt) groups.push(toGroup(deps.hash(`group\n${kind}`), members, deps, shared));
    else alone.push(...members);
  }
  return [...rest, ...alone, ...groups];
}

/** Undefined for a list whose account has no counter for it, and for one that is to be read by itself. */
function listsKey(poll: Poll): string | undefined {
  const strategy = strategyOf(poll);
  const isProbed = poll.detector === "roster" && poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  if (!isProbed || strategy === "single" || userIdOf(poll) === "") return undefined;
  // Part of the key under which the group is stored: it keeps its old name.
  return sharedKey(poll, "rosters");
}

function toGroup<T extends Pollable>(key: string, members: Members<T>, deps: ListGroupDeps, shared: SharedProbes): Poll<T> {
  const [first] = members;
  const override = strategyOf(first);
  const fullPollEveryMs = fullPollEveryOf(first);
  const userIds = members.map(userIdOf);
  const probesPerRun = shared.more(first, userIds);
  const base = {
    kind: "member-lists" as const,
    members,
    override,
    probesPerRun,
    ...(fullPollEveryMs === undefined ? {} : { fullPollEveryMs }),
  };
  const { cost, perList } = chooseListStrategy(listGroupOf(first.intervalMs, base, listsOf(members, deps)), undefined, override);
  if (cost.strategy === "probe") shared.add(first, userIds);
  return {
    ...first,
    key,
    source: { endpoint: "info-batch", params: {} },
    spreadMs: groupSpreadMs(first),
    costRequests: ((cost.probesPerDay + cost.readsPerDay) * first.intervalMs) / DAY_MS,
    ...joinMembers(members),
    group: { ...base, weights: perList, cost },
  };
}

/** A list, as far as strategies are compared by it. */
export interface ListMember {
  /** That a change of its counter asks for. */
  readonly changeReadsPerDay: number;
  /** Requests of one such read. */
  readonly changeReadPages: number;
  /** Requests of a poll on its schedule: a long list is read on over several. */
  readonly pollPages: number;
  /** Requests a day that read it whole all the same. */
  readonly wholePerDay: number;
}

export interface ListGroup {
  readonly lists: readonly ListMember[];
  readonly intervalMs: number;
  readonly fullPollEveryMs: number;
  /** Requests a run that its probes add to those of others, at most. */
  readonly probesPerRun: number;
}

/** `rateOf`: reads a day that the counter of a poll's account asks for, by poll key; undefined where nothing was learned. */
export function listsOf(
  members: readonly Poll[],
  { pagesOf, rateOf }: Pick<ListGroupDeps, "pagesOf"> & { readonly rateOf?: (key: string) => number | undefined },
): readonly ListMember[] {
  return members.map((poll) => {
    const pages = Math.max(1, pagesOf?.(poll) ?? 1);
    const changeReadsPerDay = rateOf?.(poll.key) ?? MOVES_PER_DAY.low;
    if (isReadByEveryPoll(poll))
      return { changeReadsPerDay, changeReadPages: pages, pollPages: pages / Math.ceil(pages / poll.maxPages), wholePerDay: 0 };
    return { changeReadsPerDay, changeReadPages: 1, pollPages: 1, wholePerDay: dailyRead(poll, DAY_MS / poll.intervalMs, pages) };
  });
}

export function listGroupOf(
  intervalMs: number,
  { members, fullPollEveryMs, probesPerRun = Number.POSITIVE_INFINITY }: Pick<PollGroup, "members" | "fullPollEveryMs" | "probesPerRun">,
  lists: readonly ListMember[],
): ListGroup {
  const maxAgeMs = Math.min(...members.map(maxAgeOf));
  const base = { lists, intervalMs, probesPerRun };
  return { ...base, fullPollEveryMs: fullPollEveryMs ?? chooseEvery(base, maxAgeMs) };
}

function chooseEvery(group: Omit<ListGroup, "fullPollEveryMs">, maxAgeMs: number): number {
  const { lists, intervalMs } = group;
  const ticks = DAY_MS / intervalMs;
  const reads = sum(lists, ({ changeReadsPerDay, changeReadPages }) => Math.min(changeReadsPerDay, ticks) * changeReadPages);
  const perDay = (probesOf(group, lists.length) * ticks + reads) * FULL_POLL_SHARE;
  const round = sum(lists, ({ changeReadPages }) => changeReadPages);
  return fullPollWithin((round / perDay) * DAY_MS, intervalMs, maxAgeMs);
}

const probesOf = ({ probesPerRun }: Pick<ListGroup, "probesPerRun">, accounts: number): number =>
  Math.min(Math.ceil(accounts / BATCH_SIZE), probesPerRun);

export interface ListChoice {
  readonly cost: StrategyCost<"single" | "probe">;
  /** Of each list: whether it moves so often that it is read at every tick, beside the probes. */
  readonly isReadEveryTick: readonly boolean[];
  /** Requests a day for each list, but for the probes they share. */
  readonly perList: readonly number[];
}

/** The cheaper strategy; the active one stays unless the other saves enough. An override is followed. */
export function chooseListStrategy(group: ListGroup, current: "single" | "probe" | undefined, override: StrategyOverride): ListChoice {
  const single = singleCost(group);
  const probe = probeCost(group, override === "probe");
  if (override === "probe") return probe;
  if (probe.isReadEveryTick.every(Boolean)) return single;
  const [kept, other] = current === "probe" ? [probe, single] : [single, probe];
  const share = current === undefined ? 1 : WORTHWHILE;
  return other.cost.requestsPerDay < kept.cost.requestsPerDay * share ? other : kept;
}

const singleCost = ({ lists, intervalMs }: ListGroup): ListChoice => {
  const ticks = DAY_MS / intervalMs;
  const reads = sum(lists, ({ pollPages }) => pollPages) * ticks;
  const whole = sum(lists, ({ wholePerDay }) => wholePerDay);
  const perList = lists.map(({ pollPages, wholePerDay }) => pollPages * ticks + wholePerDay);
  return { cost: strategyCost("single", 0, reads, whole), isReadEveryTick: lists.map(() => true), perList };
};

function probeCost(group: ListGroup, isAsked: boolean): ListChoice {
  const { lists, intervalMs, fullPollEveryMs } = group;
  const ticks = DAY_MS / intervalMs;
  const everyMs = Math.max(1, Math.round(fullPollEveryMs / intervalMs)) * intervalMs;
  const probedLists = lists.map(({ changeReadsPerDay, changeReadPages, pollPages, wholePerDay }) => {
    const changeReads = Math.min(changeReadsPerDay, ticks) * changeReadPages;
    const isReadEveryTick = !isAsked && changeReads + ticks / BATCH_SIZE >= ticks * pollPages * WORTHWHILE;
    const reads = isReadEveryTick ? pollPages * ticks : changeReads;
    return {
      isReadEveryTick,
      reads,
      rest: wholePerDay + (isReadEveryTick ? 0 : unreadPerDay(changeReadsPerDay, everyMs) * changeReadPages),
    };
  });
  const probed = probedLists.filter(({ isReadEveryTick }) => !isReadEveryTick).length;
  const probes = probesOf(group, probed) * ticks;
  return {
    cost: strategyCost(
      "probe",
      probes,
      sum(probedLists, ({ reads }) => reads),
      sum(probedLists, ({ rest }) => rest),
    ),
    isReadEveryTick: probedLists.map(({ isReadEveryTick }) => isReadEveryTick),
    perList: probedLists.map(({ reads, rest }) => reads + rest),
  };
}

/** Some changes take two reads, one soon after the other. */
const READS_OF_A_CHANGE = 1.25;

/** How often a day so long passes without a read, changes coming by chance: each one puts the full poll off. */
function unreadPerDay(changeReadsPerDay: number, everyMs: number): number {
  const changesPerDay = changeReadsPerDay / READS_OF_A_CHANGE;
  const expected = (changesPerDay * everyMs) / DAY_MS;
  return expected < 1e-9 ? DAY_MS / everyMs : (changesPerDay * Math.exp(-expected)) / (1 - Math.exp(-expected));
}
