/**
 * Polls of accounts that want the same schedule -> one poll of the group, where that can be cheaper: it probes many accounts with one
 * request and reads those that moved. Pure; which way a group is read at a moment is chosen while it runs, by what was learned.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import type { Hash } from "../model/hash.ts";
import type { Freshness } from "../model/schedule.ts";
import { createFreeRides, type Help } from "./free-rides.ts";
import { feedIntervalMs, shareKey } from "./feed-pace.ts";
import { groupSpreadMs } from "./group-spread.ts";
import { joinMembers, kindNamed, type Members, sortByKind } from "./kinds.ts";
import type { Learned } from "./learned.ts";
import { FIRST_LIMITS, handlesPerQuery } from "./merge.ts";
import { type Poll, type Pollable, userIdOf } from "./poll.ts";
import { ratesOf } from "./rates.ts";
import { groupRosters } from "./roster-groups.ts";
import { groupSearches } from "./search-groups.ts";
import { createSharedProbes, type SharedProbes } from "./shared-probes.ts";
import { chooseFullPollEvery, chooseStrategy, costOf, costOfFreshness, type Group, withCounts } from "./strategy.ts";
import { fullPollEveryOf, maxAgeOf, strategyOf } from "./wishes.ts";

const DAY_MS = 86_400_000;
/** For one account a probe saves nothing; for two, what they cost decides. */
const LEAST_MEMBERS = 2;

export interface GroupDeps extends Partial<Learned> {
  readonly hash: Hash;
  /** What accounts post of which nothing was learned, against what is usual; 1 unless said. */
  readonly assumedPosts?: number;
  /** Requests of a read of a poll's whole list; 1 where it is short or its length is not known. */
  readonly pagesOf?: (poll: Poll) => number;
}

/** The polls that stay as they are, then the groups. A group keeps its key when accounts come and go. */
export function groupPolls<T extends Pollable>(polls: readonly Poll<T>[], deps: GroupDeps): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, kindOf);
  const shared = createSharedProbes();
  const alone = [...rest];
  const groups: Poll<T>[] = [];
  const fresh: (readonly [kind: string, members: Members<T>])[] = [];
  for (const [kind, members] of kinds) {
    const [first] = members;
    const isAsked = strategyOf(first) !== "auto" || (first.freshness !== undefined && !isCheaperAlone(first, polls));
    if (members.length < LEAST_MEMBERS && !isAsked) alone.push(...members);
    else if (first.freshness === undefined) groups.push(withShared(toGroup(kind, members, deps), shared));
    else fresh.push([kind, members]);
  }
  // A group asks first, and what it asks for is counted as its own.
  const read = alone.map((poll) => (isReading(poll) ? withSharedProfiles(poll, shared) : poll));
  const feeds = groupSearches(read.map(asFeed), deps).map((poll) => withShare(poll, deps));
  return [...groupRosters(feeds, deps, shared), ...groups, ...groupFresh(fresh, deps, shared)];
}

/** Those that are probed most often first: the others ride in their requests, and all in those of schedules. */
function groupFresh<T extends Pollable>(
  kinds: readonly (readonly [kind: string, members: Members<T>])[],
  deps: GroupDeps,
  { companies }: SharedProbes,
): readonly Poll<T>[] {
  const rides = createFreeRides(companies);
  const alone = kinds.map(([kind, members]) => ({ kind, members, probesPerDay: probesOf(toGroup(kind, members, deps)) }));
  return alone
    .sort((a, b) => b.probesPerDay - a.probesPerDay)
    .map(({ kind, members }) => {
      const userIds = members.map(userIdOf);
      const poll = toGroup(kind, members, deps, rides.helpFor(userIds));
      // Probes of more accounts than one holds are full.
      rides.join(userIds, userIds.length < BATCH_SIZE ? probesOf(poll) : 0);
      return poll;
    });
}

const probesOf = ({ group }: Poll): number => group?.cost.probesPerDay ?? 0;

/**
 * A read of a timeline that nobody else asks about costs what a probe of it costs, and shows what a probe only promises. For a mean, a probe
 * is sent by the account's own rate; where profiles are asked for anyway, it costs nothing.
 */
const isCheaperAlone = (member: Poll, polls: readonly Poll[]): boolean =>
  member.freshness?.kind === "p95" && polls.every((poll) => poll === member || !asksForProfiles(poll));

const asksForProfiles = (poll: Poll): boolean =>
  isReading(poll) || (userIdOf(poll) !== "" && poll.subscribers.every(({ type }) => type.probeFields !== undefined));

/** No probe tells anything of it: under freshness it is read by itself, or with other searches, at an interval of its own. */
function asFeed<T extends Pollable>(poll: Poll<T>): Poll<T> {
  if (poll.freshness === undefined) return poll;
  const schedule = { kind: "every", intervalMs: feedIntervalMs(poll.freshness) } as const;
  return { ...poll, schedule, schedules: [schedule], intervalMs: schedule.intervalMs };
}

/** How often it is read, once that was counted. */
function withShare<T extends Pollable>(poll: Poll<T>, { rateOf }: GroupDeps): Poll<T> {
  const share = poll.freshness === undefined ? undefined : rateOf?.(shareKey(poll.key));
  return share === undefined ? poll : { ...poll, readsPerDay: (share * DAY_MS) / poll.intervalMs };
}

/** Profiles: what is asked for them tells as much as a probe does. */
const isReading = ({ source, detector, group }: Poll): boolean =>
  source.endpoint === "info-batch" && detector === "reading" && group === undefined && Array.isArray(source.params["user_ids"]);

function withSharedProfiles<T extends Pollable>(poll: Poll<T>, shared: SharedProbes): Poll<T> {
  const added = shared.add(poll, poll.source.params["user_ids"] as readonly string[]);
  return { ...poll, spreadMs: groupSpreadMs(poll), costRequests: Math.min(poll.costRequests, added) };
}

/** Of the accounts that are probed on its schedule anyway, its probes cost nothing. */
function withShared<T extends Pollable>(poll: Poll<T>, shared: SharedProbes): Poll<T> {
  const { group } = poll;
  if (group === undefined || poll.freshness !== undefined || group.cost.strategy !== "probe") return poll;
  const probesPerRun = shared.add(poll, group.members.map(userIdOf));
  const probesPerDay = (probesPerRun * DAY_MS) / poll.intervalMs;
  const { strategy, readsPerDay, sweepsPerDay } = group.cost;
  const cost = costOf(strategy, probesPerDay, readsPerDay, sweepsPerDay);
  return { ...poll, costRequests: ((probesPerDay + readsPerDay) * poll.intervalMs) / DAY_MS, group: { ...group, probesPerRun, cost } };
}

/** Undefined for a poll that shares its requests with nobody. */
function kindOf(poll: Poll): string | undefined {
  // Searches by author stand in for timelines only.
  const isProbed = poll.source.endpoint === "user-tweets" && poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  return isProbed && strategyOf(poll) !== "single" ? kindNamed(poll) : undefined;
}

function toGroup<T extends Pollable>(kind: string, members: Members<T>, deps: GroupDeps, help?: Help): Poll<T> {
  const [first] = members;
  const key = deps.hash(`group\n${kind}`);
  const { freshness } = first;
  const fullPollEveryMs = fullPollEveryOf(first);
  const group = {
    kind: "accounts" as const,
    members,
    wish: strategyOf(first),
    ...(fullPollEveryMs === undefined ? {} : { fullPollEveryMs }),
  };
  const joined = joinMembers(members);
  const rates = ratesOf(members.map(userIdOf), (userId) => deps.rateOf?.(userId), deps.assumedPosts);
  const habits = { rates, otherChangesPerDay: deps.changesOf?.(key) };
  const asked = askedOf({ ...first, subscribers: joined.subscribers }, fullPollEveryMs, habits, handlesPerQuery(FIRST_LIMITS), freshness);
  const counted = deps.countOf?.(key, members.length);
  const modelled = freshness === undefined ? chooseStrategy(asked, counted?.strategy, group.wish) : costOfFreshness(asked, freshness, help);
  const { probes, reads } = counted?.strategy === modelled.strategy ? counted : NOTHING_COUNTED;
  // Probes of a schedule are told by the clock.
  const cost = withCounts(modelled, { probes: freshness === undefined ? undefined : probes, reads });
  return {
    ...first,
    key,
    source: { endpoint: "info-batch", params: {}, boundParam: "query" },
    spreadMs: freshness === undefined ? groupSpreadMs(first) : 0,
    costRequests: ((cost.probesPerDay + cost.readsPerDay) * asked.intervalMs) / DAY_MS,
    ...joined,
    group: { ...group, cost },
  };
}

const NOTHING_COUNTED = { probes: undefined, reads: undefined };

/** What is known of the accounts of a group. */
export type Habits = Pick<Group, "rates" | "hiddenShare" | "otherChangesPerDay">;

/** A group as strategies are compared by it. */
export function askedOf(
  poll: Pick<Poll, "subscribers" | "intervalMs" | "overlapMs">,
  fullPollEveryMs: number | undefined,
  habits: Habits,
  perQuery: number,
  freshness: Freshness | undefined,
): Group {
  const base = { ...habits, intervalMs: poll.intervalMs, overlapMs: poll.overlapMs, handlesPerQuery: perQuery };
  return { ...base, fullPollEveryMs: fullPollEveryMs ?? chooseFullPollEvery(base, maxAgeOf(poll), freshness) };
}
