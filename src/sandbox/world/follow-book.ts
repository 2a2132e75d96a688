/**
 * Who follows whom since when. Both lists of an account are walked by positions that never shift, oldest first: the crowd from before the
 * first day (never held in memory), accounts of the world tied before it, then everyone who came since; where somebody left, a position
 * is empty. Follows put in by hand or recorded are among those who came since, by their date.
 */
import { crowdFollower, crowdPerson, crowdRank, CROWD_FROM, CROWD_SIZE } from "./crowd.ts";
import { createDaily, DAY_MS } from "./daily.ts";
import { createDemoFollowers } from "./demo-followers.ts";
import type { Pace } from "./demo-pace.ts";
import { hash32 } from "./dice.ts";
import { createEarlyCrowd } from "./early-crowd.ts";
import { createEdges } from "./edges.ts";
import type { Follow } from "./follow.ts";
import { createFollowsByHand } from "./follows-by-hand.ts";
import type { PeopleBook } from "./people-book.ts";

/** Shifts the crowd that an account follows away from the crowd that follows it. */
const FOLLOWING_SHIFT = 50_021;
export interface FollowBookOptions {
  readonly seed: number;
  readonly firstDayMs: number;
  readonly startMs: number;
  readonly pace: Pace;
}

/** The follows of one world. */
export function createFollowBook(people: PeopleBook, options: FollowBookOptions) {
  const { seed, firstDayMs } = options;
  const firstDay = Math.floor(firstDayMs / DAY_MS);
  const edges = createEdges({ seed, count: people.count, firstDayMs });
  const demo = createDemoFollowers(people, options);
  const early = createEarlyCrowd(people, options);
  const arrivals = createDaily({ salt: hash32(seed, "arrivals"), firstDay, perDay: (key) => people.account(key)?.followersPerDay ?? 0 });
  const hand = createFollowsByHand();
  let strangers = 0;

  const isEarlyThere = (key: number, rank: number, nowMs: number): boolean =>
    early.isThere(key, rank, nowMs) && !hand.isLeft(key, early.follower(key, rank));

  const isOn = (follow: Follow, nowMs: number): boolean => follow.atMs <= nowMs && (follow.untilMs ?? Number.POSITIVE_INFINITY) > nowMs;

  /** As entries of one of the two, named by `key`. */
  const spellsOf = (from: number, to: number, key: number, nowMs: number): readonly Follow[] =>
    hand.has(to, from) ? [] : edges.spells(from, to, nowMs).map((spell) => ({ key, ...spell }));

  /** Everyone who came since the first day, earliest first, gone or not. Grows at its end only, but for follows dated back by hand. */
  function youngFollowers(key: number, nowMs: number): readonly Follow[] {
    const before = early.size(key);
    const young: Follow[] = [];
    let rank = before;
    const today = Math.floor(nowMs / DAY_MS);
    if (people.account(key) !== undefined)
      for (let day = firstDay; day <= today; day += 1)
        for (const atMs of arrivals.timesOn(key, day)) young.push({ key: crowdFollower(key, rank++), atMs });
    for (const from of edges.sourcesOf(key)) young.push(...spellsOf(from, key, from, nowMs));
    young.push(...demo(key, nowMs), ...hand.followers(key));
    return young.filter((follow) => follow.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  }

  function youngFollowings(key: number, nowMs: number): readonly Follow[] {
    const young: Follow[] = edges.targetsOf(key).flatMap((to) => spellsOf(key, to, to, nowMs));
    young.push(...hand.followings(key));
    return young.filter((follow) => follow.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  }

  const followersSeen = rememberLast(youngFollowers);
  const followingsSeen = rememberLast(youngFollowings);

  const isThere = (target: number, follow: Follow, nowMs: number): boolean => isOn(follow, nowMs) && !hand.isLeft(target, follow.key);

  const isTied = (from: number, to: number, nowMs: number): boolean => edges.tie(from, to, nowMs).isOn && !hand.has(to, from);

  const isOldTie = (from: number, to: number, nowMs: number): boolean =>
    isTied(from, to, nowMs) && edges.tie(from, to, nowMs).sinceMs < firstDayMs && !hand.isLeft(to, from);

  const oldTie = (from: number, to: number, nowMs: number): number => edges.tie(from, to, nowMs).sinceMs;

  /** Followers held one by one, oldest first: all but the crowd from before the first day. */
  function recent(key: number, nowMs: number): readonly Follow[] {
    const old = edges
      .sourcesOf(key)
      .filter((from) => isOldTie(from, key, nowMs))
      .map((from) => ({ key: from, atMs: oldTie(from, key, nowMs) }))
      .sort((a, b) => a.atMs - b.atMs);
    return [...old, ...followersSeen(key, nowMs).filter((follow) => isThere(key, follow, nowMs))];
  }

  /** Positions of the follower list: one more than the youngest. */
  const followerPositions = (key: number, nowMs: number): number =>
    early.size(key) + edges.sourcesOf(key).length + followersSeen(key, nowMs).length;

  /** The follower at a position counted from the oldest; undefined where nobody is. */
  function followerAt(key: number, position: number, nowMs: number): number | undefined {
    const before = early.size(key);
    if (position < before) return isEarlyThere(key, position, nowMs) ? crowdFollower(key, position) : undefined;
    const sources = edges.sourcesOf(key);
    const from = sources[position - before];
    if (from !== undefined) return isOldTie(from, key, nowMs) ? from : undefined;
    const follow = followersSeen(key, nowMs)[position - before - sources.length];
    return follow !== undefined && isThere(key, follow, nowMs) ? follow.key : undefined;
  }

  function followerCount(key: number, nowMs: number): number {
    const ties = edges.sourcesOf(key).filter((from) => isTied(from, key, nowMs)).length;
    const own = hand.followers(key).filter((follow) => isThere(key, follow, nowMs)).length;
    const left = hand.left(key).filter((follower) => followsByNature(follower, key, nowMs)).length;
    const came = people.account(key) === undefined ? 0 : arrivals.count(key, nowMs);
    return early.count(key, nowMs) + came + ties + demo(key, nowMs).length + own - left;
  }

  /** Followers gained at or after `sinceMs`, newest first. */
  function followersSince(key: number, nowMs: number, sinceMs: number): readonly Follow[] {
    const found = recent(key, nowMs).filter((follow) => follow.atMs >= sinceMs);
    for (let rank = early.size(key) - 1; rank >= 0 && early.followMs(key, rank) >= sinceMs; rank -= 1) {
      if (isEarlyThere(key, rank, nowMs)) found.push({ key: crowdFollower(key, rank), atMs: early.followMs(key, rank) });
    }
    return found.sort((a, b) => b.atMs - a.atMs);
  }

  function followsByNature(follower: number, target: number, nowMs: number): boolean {
    const account = people.account(target);
    if (account === undefined) return false;
    if (follower < CROWD_FROM) return edges.isPossible(follower, target) && isTied(follower, target, nowMs);
    if (follower >= CROWD_FROM + CROWD_SIZE) return false;
    const rank = crowdRank(target, follower);
    if (rank < account.followersBefore) return early.isThere(target, rank, nowMs);
    return rank - account.followersBefore < arrivals.count(target, nowMs) || demo(target, nowMs).some((each) => each.key === follower);
  }

  /** Does `follower` follow `target`? */
  function isFollowing(follower: number, target: number, nowMs: number): boolean {
    if (hand.isLeft(target, follower)) return false;
    return followsByNature(follower, target, nowMs) || hand.followers(target).some((each) => each.key === follower && each.atMs <= nowMs);
  }

  function add(target: number, follower: number, atMs: number, nowMs: number): void {
    hand.bringBack(target, follower);
    followersSeen.forget();
    followingsSeen.forget();
    if (!hand.has(target, follower) && !isFollowing(follower, target, nowMs)) hand.add(target, follower, atMs);
  }

  /** Someone of the crowd, indexed, who does not follow the account and by nature will not soon. */
  function stranger(target: number, nowMs: number): number {
    for (let attempt = 0; ; attempt += 1) {
      const key = CROWD_FROM + (hash32(seed, "stranger", target, strangers++, attempt) % CROWD_SIZE);
      const isFree = !isFollowing(key, target, nowMs) && crowdRank(target, key) > CROWD_SIZE / 2;
      if (isFree && crowdPerson(seed, key).indexed) return key;
    }
  }

  /** Accounts and people someone followed, held one by one, oldest first. */
  function recentFollowings(key: number, nowMs: number): readonly Follow[] {
    const old = edges
      .targetsOf(key)
      .filter((to) => isOldTie(key, to, nowMs))
      .map((to) => ({ key: to, atMs: oldTie(key, to, nowMs) }))
      .sort((a, b) => a.atMs - b.atMs);
    return [...old, ...followingsSeen(key, nowMs).filter((follow) => isFollowed(key, follow, nowMs))];
  }

  const isFollowed = (key: number, follow: Follow, nowMs: number): boolean => isOn(follow, nowMs) && !hand.isLeft(follow.key, key);

  const followingsBefore = (key: number): number => people.account(key)?.followingsBefore ?? 0;

  /** Positions of the list of those an account follows: one more than the youngest. */
  const followingPositions = (key: number, nowMs: number): number =>
    followingsBefore(key) + edges.targetsOf(key).length + followingsSeen(key, nowMs).length;

  function followingAt(key: number, position: number, nowMs: number): number | undefined {
    const before = followingsBefore(key);
    if (position < before) return crowdFollower(key + FOLLOWING_SHIFT, position);
    const targets = edges.targetsOf(key);
    const to = targets[position - before];
    if (to !== undefined) return isOldTie(key, to, nowMs) ? to : undefined;
    const follow = followingsSeen(key, nowMs)[position - before - targets.length];
    return follow !== undefined && isFollowed(key, follow, nowMs) ? follow.key : undefined;
  }

  function followingCount(key: number, nowMs: number): number {
    const ties = edges.targetsOf(key).filter((to) => isTied(key, to, nowMs) && !hand.isLeft(to, key)).length;
    const own = hand.followings(key).filter((follow) => isFollowed(key, follow, nowMs)).length;
    return followingsBefore(key) + ties + own;
  }

  return {
    recent,
    stranger,
    followersSince,
    followerCount,
    followerAt,
    followerPositions,
    recentFollowings,
    followingCount,
    followingPositions,
    followingAt,
    isFollowing,
    add,
    remove(target: number, follower: number): void {
      hand.remove(target, follower);
      followersSeen.forget();
    },
  };
}

/** A walk asks for the same list at the same moment for every position. */
function rememberLast(make: (key: number, nowMs: number) => readonly Follow[]) {
  let last: { readonly key: number; readonly nowMs: number; readonly list: readonly Follow[] } | undefined;
  const ask = (key: number, nowMs: number): readonly Follow[] => {
    if (last?.key !== key || last.nowMs !== nowMs) last = { key, nowMs, list: make(key, nowMs) };
    return last.list;
  };
  return Object.assign(ask, { forget: (): void => void (last = undefined) });
}
