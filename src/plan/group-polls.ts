/**
 * Polls of accounts that want the same schedule -> one poll of the group, where that can be cheaper: it probes many accounts with one
 * request and reads those that moved. Pure; which way a group is read at a moment is chosen while it runs, by what was learned.
 */
import { canonicalJson, type Hash } from "../model/hash.ts";
import type { Freshness, StrategyWish } from "../model/schedule.ts";
import { spreadMs } from "../schedule/spread.ts";
import { FIRST_LIMITS, handlesPerQuery } from "./merge.ts";
import type { Poll, Pollable } from "./poll.ts";
import { chooseFullPollEvery, chooseStrategy, type Group } from "./strategy.ts";

const DAY_MS = 86_400_000;
/** Of fewer accounts, reading each by itself costs about as much. */
const LEAST_MEMBERS = 3;
/** Posts a day of an account of which nothing is known. */
const USUAL_RATE = 1.5;

export interface GroupDeps {
  readonly hash: Hash;
  /** Posts a day of an account, where that was learned. */
  readonly rateOf?: (userId: string) => number | undefined;
}

/** The polls that stay as they are, then the groups. A group keeps its key when accounts come and go. */
export function groupPolls<T extends Pollable>(polls: readonly Poll<T>[], deps: GroupDeps): readonly Poll<T>[] {
  const kinds = new Map<string, Poll<T>[]>();
  const rest: Poll<T>[] = [];
  for (const poll of polls) {
    const kind = kindOf(poll);
    if (kind === undefined) rest.push(poll);
    else kinds.set(kind, [...(kinds.get(kind) ?? []), poll]);
  }
  const groups: Poll<T>[] = [];
  for (const [kind, members] of kinds) {
    const [first] = members;
    if (first === undefined) continue;
    const isAsked = strategyOf(first) !== "auto" || freshnessOf(first) !== undefined;
    if (members.length < LEAST_MEMBERS && !isAsked) rest.push(...members);
    else groups.push(toGroup(kind, first, members, deps));
  }
  return [...rest, ...groups];
}

/** The account a member is about. */
export const userIdOf = ({ source }: Poll): string => {
  const id = source.params["user_id"];
  return typeof id === "string" ? id : "";
};

/** Undefined for a poll that shares its requests with nobody. */
function kindOf(poll: Poll): string | undefined {
  // Searches by author stand in for timelines only.
  const isProbed = poll.source.endpoint === "user-tweets" && poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  const strategy = strategyOf(poll);
  if (!isProbed || strategy === "single") return undefined;
  const freshness = freshnessOf(poll) ?? null;
  const schedules = poll.schedules.map((schedule) => canonicalJson({ ...schedule }));
  return canonicalJson([poll.priority, strategy, freshness === null ? schedules : { ...freshness }, fullPollEveryOf(poll) ?? null]);
}

/** What its sharers want; one that insists wins over those that leave it open. */
function strategyOf({ subscribers }: Poll): StrategyWish {
  const wishes = new Set(subscribers.map(({ watch }) => watch.strategy ?? "auto"));
  return (["single", "merge", "probe"] as const).find((wish) => wishes.has(wish)) ?? "auto";
}

/** The strictest of its sharers; a schedule is the user's word, so that one sharer without freshness decides. */
function freshnessOf({ subscribers }: Poll): Freshness | undefined {
  const all = subscribers.map(({ watch }) => watch.freshness);
  const [first, ...others] = all.filter((one) => one !== undefined);
  if (first === undefined || others.length + 1 < all.length) return undefined;
  return others.reduce((best, one) => (strictness(one) < strictness(best) ? one : best), first);
}

const strictness = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.meanMs * 3 : freshness.p95Ms);

function fullPollEveryOf({ subscribers }: Poll): number | undefined {
  const all = subscribers.map(({ watch }) => watch.fullPollEveryMs).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}

function toGroup<T extends Pollable>(kind: string, first: Poll<T>, members: readonly Poll<T>[], deps: GroupDeps): Poll<T> {
  const key = deps.hash(`group\n${kind}`);
  const freshness = freshnessOf(first);
  const fullPollEveryMs = fullPollEveryOf(first);
  const group = {
    members,
    wish: strategyOf(first),
    ...(freshness === undefined ? {} : { freshness }),
    ...(fullPollEveryMs === undefined ? {} : { fullPollEveryMs }),
  };
  const subscribers = members.flatMap((member) => member.subscribers);
  const rates = members.map((member) => deps.rateOf?.(userIdOf(member)) ?? USUAL_RATE);
  const cost = chooseStrategy(
    askedOf({ ...first, subscribers }, fullPollEveryMs, rates, handlesPerQuery(FIRST_LIMITS)),
    undefined,
    group.wish,
  );
  return {
    ...first,
    key,
    source: { endpoint: "info-batch", params: {}, boundParam: "query" },
    maxPages: Math.max(...members.map(({ maxPages }) => maxPages)),
    overlapMs: Math.max(...members.map(({ overlapMs }) => overlapMs)),
    spreadMs: spreadMs(key, first.intervalMs),
    costRequests: ((cost.probesPerDay + cost.readsPerDay) * first.intervalMs) / DAY_MS,
    subscribers,
    group: { ...group, cost },
  };
}

/** A group as strategies are compared by it. */
export function askedOf(
  poll: Pick<Poll, "subscribers" | "intervalMs" | "overlapMs">,
  fullPollEveryMs: number | undefined,
  rates: readonly number[],
  perQuery: number,
  hiddenShare = 0,
): Group {
  const maxAgeMs = poll.subscribers.reduce((least, { watch }) => Math.min(least, watch.maxAgeMs), Number.POSITIVE_INFINITY);
  const base = { rates, intervalMs: poll.intervalMs, overlapMs: poll.overlapMs, handlesPerQuery: perQuery, hiddenShare };
  return { ...base, fullPollEveryMs: fullPollEveryMs ?? chooseFullPollEvery(base, maxAgeMs) };
}
