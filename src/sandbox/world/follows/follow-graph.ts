/**
 * The graph of follows with their dates. Both lists of an account, its followers and the accounts
 * that it follows, are read by positions that never shift. Position 0 is the oldest entry. First
 * comes the crowd from before the first day, which is never held in memory, then the accounts of
 * the world from before that day, then everyone who came later, sorted by date and including
 * follows that were added by hand or recorded. The position of an entry that has ended stays empty.
 */
import { crowdFollower, crowdPerson, crowdRank, CROWD_FROM, CROWD_SIZE } from "../people/crowd.ts";
import { createDaily, type Daily, DAY_MS } from "../chance/daily.ts";
import { hash32 } from "../chance/dice.ts";
import { createEarlyCrowd, type EarlyCrowd } from "./early-crowd.ts";
import { createEdges, type Edges } from "./edges.ts";
import type { Follow } from "./follow.ts";
import { createFollowsByHand } from "./follows-by-hand.ts";
import type { PeopleDirectory } from "../people/people-directory.ts";

/** An offset, so that an account does not follow the same users of the crowd that follow it. */
const FOLLOWING_SHIFT = 50_021;
/**
 * How many users of the crowd are tried until one is found who can become a new follower. Usually
 * one in four can; if all of these attempts fail, fewer than one in a thousand can.
 */
const STRANGER_ATTEMPTS = 10_000;

/** What the graph needs to know about accounts. */
export type Followable = Pick<PeopleDirectory, "account" | "count">;

export interface FollowGraphOptions {
  readonly seed: number;
  readonly firstDayMs: number;
  readonly startMs: number;
}

export class FollowGraph {
  readonly #people: Followable;
  readonly #seed: number;
  readonly #firstDay: number;
  readonly #firstDayMs: number;
  readonly #edges: Edges;
  readonly #early: EarlyCrowd;
  readonly #arrivals: Daily;
  readonly #hand = createFollowsByHand();
  readonly #followersSeen = rememberLast((key, nowMs) => this.#youngFollowers(key, nowMs));
  readonly #followingsSeen = rememberLast((key, nowMs) => this.#youngFollowings(key, nowMs));
  #strangers = 0;

  constructor(people: Followable, options: FollowGraphOptions) {
    const { seed, firstDayMs } = options;
    this.#people = people;
    this.#seed = seed;
    this.#firstDay = Math.floor(firstDayMs / DAY_MS);
    this.#firstDayMs = firstDayMs;
    this.#edges = createEdges({ seed, count: people.count, firstDayMs });
    this.#early = createEarlyCrowd(people, options);
    const perDay = (key: number): number => people.account(key)?.followersPerDay ?? 0;
    this.#arrivals = createDaily({
      salt: hash32(seed, "arrivals"),
      firstDay: this.#firstDay,
      perDay,
    });
  }

  /**
   * Returns the followers that are held one by one, oldest first. These are all followers except
   * the crowd from before the first day.
   */
  recent(key: number, nowMs: number): readonly Follow[] {
    const old = this.#edges
      .sourcesOf(key)
      .filter((from) => this.#isOldTie(from, key, nowMs))
      .map((from) => ({ key: from, atMs: this.#oldTie(from, key, nowMs) }))
      .sort((a, b) => a.atMs - b.atMs);
    return [
      ...old,
      ...this.#followersSeen(key, nowMs).filter((follow) => this.#isThere(key, follow, nowMs)),
    ];
  }

  /** Returns the number of positions in the list of followers, including the empty ones. */
  followerPositions(key: number, nowMs: number): number {
    return (
      this.#early.size(key) +
      this.#edges.sourcesOf(key).length +
      this.#followersSeen(key, nowMs).length
    );
  }

  /**
   * Returns the follower at a position, counted from the oldest; undefined if the position is
   * empty.
   */
  followerAt(key: number, position: number, nowMs: number): number | undefined {
    const before = this.#early.size(key);
    if (position < before)
      return this.#isEarlyThere(key, position, nowMs) ? crowdFollower(key, position) : undefined;
    const sources = this.#edges.sourcesOf(key);
    const from = sources[position - before];
    if (from !== undefined) return this.#isOldTie(from, key, nowMs) ? from : undefined;
    const follow = this.#followersSeen(key, nowMs)[position - before - sources.length];
    return follow !== undefined && this.#isThere(key, follow, nowMs) ? follow.key : undefined;
  }

  followerCount(key: number, nowMs: number): number {
    const ties = this.#edges.sourcesOf(key).filter((from) => this.#isTied(from, key, nowMs)).length;
    const own = this.#hand
      .followers(key)
      .filter((follow) => this.#isThere(key, follow, nowMs)).length;
    const left = this.#hand
      .left(key)
      .filter((follower) => this.#followsByNature(follower, key, nowMs)).length;
    const came = this.#people.account(key) === undefined ? 0 : this.#arrivals.count(key, nowMs);
    return this.#early.count(key, nowMs) + came + ties + own - left;
  }

  /** Returns the followers who came at `sinceMs` or later, newest first. */
  followersSince(key: number, nowMs: number, sinceMs: number): readonly Follow[] {
    const found = this.recent(key, nowMs).filter((follow) => follow.atMs >= sinceMs);
    for (
      let rank = this.#early.size(key) - 1;
      rank >= 0 && this.#early.followMs(key, rank) >= sinceMs;
      rank -= 1
    ) {
      if (this.#isEarlyThere(key, rank, nowMs))
        found.push({ key: crowdFollower(key, rank), atMs: this.#early.followMs(key, rank) });
    }
    return found.sort((a, b) => b.atMs - a.atMs);
  }

  /** Whether `follower` follows `target` at the given time. */
  isFollowing(follower: number, target: number, nowMs: number): boolean {
    if (this.#hand.isLeft(target, follower)) return false;
    return (
      this.#followsByNature(follower, target, nowMs) ||
      (this.#hand.has(target, follower) &&
        this.#hand.followers(target).some((each) => each.key === follower && each.atMs <= nowMs))
    );
  }

  add(target: number, follower: number, atMs: number, nowMs: number): void {
    this.#hand.bringBack(target, follower);
    this.#followersSeen.forget();
    this.#followingsSeen.forget();
    if (!this.#hand.has(target, follower) && !this.isFollowing(follower, target, nowMs))
      this.#hand.add(target, follower, atMs);
  }

  /**
   * Returns an indexed user of the crowd who does not follow the account and will not soon become a
   * generated follower of it; undefined if hardly any such user is left.
   */
  stranger(target: number, nowMs: number): number | undefined {
    for (let attempt = 0; attempt < STRANGER_ATTEMPTS; attempt += 1) {
      const key =
        CROWD_FROM +
        (hash32(this.#seed, "stranger", target, this.#strangers++, attempt) % CROWD_SIZE);
      const isFree =
        !this.isFollowing(key, target, nowMs) && crowdRank(target, key) > CROWD_SIZE / 2;
      if (isFree && crowdPerson(this.#seed, key).indexed) return key;
    }
    return undefined;
  }

  /**
   * Returns the accounts and users that an account follows and that are held one by one, oldest
   * first. These are all except the crowd from before the first day.
   */
  recentFollowings(key: number, nowMs: number): readonly Follow[] {
    const old = this.#edges
      .targetsOf(key)
      .filter((to) => this.#isOldTie(key, to, nowMs))
      .map((to) => ({ key: to, atMs: this.#oldTie(key, to, nowMs) }))
      .sort((a, b) => a.atMs - b.atMs);
    return [
      ...old,
      ...this.#followingsSeen(key, nowMs).filter((follow) => this.#isFollowed(key, follow, nowMs)),
    ];
  }

  /** Returns the number of positions in the list of followed accounts, including the empty ones. */
  followingPositions(key: number, nowMs: number): number {
    return (
      this.#followingsBefore(key) +
      this.#edges.targetsOf(key).length +
      this.#followingsSeen(key, nowMs).length
    );
  }

  followingAt(key: number, position: number, nowMs: number): number | undefined {
    const before = this.#followingsBefore(key);
    if (position < before) return crowdFollower(key + FOLLOWING_SHIFT, position);
    const targets = this.#edges.targetsOf(key);
    const to = targets[position - before];
    if (to !== undefined) return this.#isOldTie(key, to, nowMs) ? to : undefined;
    const follow = this.#followingsSeen(key, nowMs)[position - before - targets.length];
    return follow !== undefined && this.#isFollowed(key, follow, nowMs) ? follow.key : undefined;
  }

  followingCount(key: number, nowMs: number): number {
    const ties = this.#edges
      .targetsOf(key)
      .filter((to) => this.#isTied(key, to, nowMs) && !this.#hand.isLeft(to, key)).length;
    const own = this.#hand
      .followings(key)
      .filter((follow) => this.#isFollowed(key, follow, nowMs)).length;
    return this.#followingsBefore(key) + ties + own;
  }

  remove(target: number, follower: number): void {
    this.#hand.remove(target, follower);
    this.#followersSeen.forget();
  }

  #isEarlyThere(key: number, rank: number, nowMs: number): boolean {
    return (
      this.#early.isThere(key, rank, nowMs) &&
      !this.#hand.isLeft(key, this.#early.follower(key, rank))
    );
  }

  /**
   * Returns the spells of the follow between two accounts as entries of a list. `key` is the
   * account that the entries name.
   */
  #spellsOf(from: number, to: number, key: number, nowMs: number): readonly Follow[] {
    return this.#hand.has(to, from)
      ? []
      : this.#edges.spells(from, to, nowMs).map((spell) => ({ key, ...spell }));
  }

  /**
   * Returns everyone who became a follower on the first day or later, earliest first, including
   * those who have left. New entries come at the end, except follows that were added by hand with
   * an earlier date.
   */
  #youngFollowers(key: number, nowMs: number): readonly Follow[] {
    const before = this.#early.size(key);
    const young: Follow[] = [];
    let rank = before;
    const today = Math.floor(nowMs / DAY_MS);
    if (this.#people.account(key) !== undefined)
      for (let day = this.#firstDay; day <= today; day += 1)
        for (const atMs of this.#arrivals.timesOn(key, day))
          young.push({ key: crowdFollower(key, rank++), atMs });
    for (const from of this.#edges.sourcesOf(key))
      young.push(...this.#spellsOf(from, key, from, nowMs));
    young.push(...this.#hand.followers(key));
    return young.filter((follow) => follow.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  }

  #youngFollowings(key: number, nowMs: number): readonly Follow[] {
    const young: Follow[] = this.#edges
      .targetsOf(key)
      .flatMap((to) => this.#spellsOf(key, to, to, nowMs));
    young.push(...this.#hand.followings(key));
    return young.filter((follow) => follow.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  }

  #isThere(target: number, follow: Follow, nowMs: number): boolean {
    return isOn(follow, nowMs) && !this.#hand.isLeft(target, follow.key);
  }

  #isTied(from: number, to: number, nowMs: number): boolean {
    return this.#edges.tie(from, to, nowMs).isOn && !this.#hand.has(to, from);
  }

  #isOldTie(from: number, to: number, nowMs: number): boolean {
    return (
      this.#isTied(from, to, nowMs) &&
      this.#edges.tie(from, to, nowMs).sinceMs < this.#firstDayMs &&
      !this.#hand.isLeft(to, from)
    );
  }

  #oldTie(from: number, to: number, nowMs: number): number {
    return this.#edges.tie(from, to, nowMs).sinceMs;
  }

  #followsByNature(follower: number, target: number, nowMs: number): boolean {
    const account = this.#people.account(target);
    if (account === undefined) return false;
    if (follower < CROWD_FROM)
      return this.#edges.isPossible(follower, target) && this.#isTied(follower, target, nowMs);
    if (follower >= CROWD_FROM + CROWD_SIZE) return false;
    const rank = crowdRank(target, follower);
    if (rank < account.followersBefore) return this.#early.isThere(target, rank, nowMs);
    return rank - account.followersBefore < this.#arrivals.count(target, nowMs);
  }

  #isFollowed(key: number, follow: Follow, nowMs: number): boolean {
    return isOn(follow, nowMs) && !this.#hand.isLeft(follow.key, key);
  }

  #followingsBefore(key: number): number {
    return this.#people.account(key)?.followingsBefore ?? 0;
  }
}

const isOn = (follow: Follow, nowMs: number): boolean =>
  follow.atMs <= nowMs && (follow.untilMs ?? Number.POSITIVE_INFINITY) > nowMs;

/**
 * Caches the list that was made last, because reading a list page by page needs the same list at
 * the same time for every position.
 */
function rememberLast(make: (key: number, nowMs: number) => readonly Follow[]) {
  let last:
    | { readonly key: number; readonly nowMs: number; readonly list: readonly Follow[] }
    | undefined;
  const ask = (key: number, nowMs: number): readonly Follow[] => {
    if (last?.key !== key || last.nowMs !== nowMs) last = { key, nowMs, list: make(key, nowMs) };
    return last.list;
  };
  return Object.assign(ask, { forget: (): void => void (last = undefined) });
}
