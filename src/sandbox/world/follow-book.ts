/**
 * Who follows whom since when. An account's followers are, oldest first: a crowd from before the first day (never held in memory),
 * then other accounts of the world and everyone who came since.
 */
import type { Account } from "./accounts.ts";
import { crowdFollower, crowdPerson, crowdRank, CROWD_FROM, CROWD_SIZE } from "./crowd.ts";
import { demoFollowTimes, type Pace } from "./demo-pace.ts";
import { createDice, hash32, poisson, unit } from "./dice.ts";
import type { People } from "./people.ts";
import { HOUR_MS } from "./stream.ts";

const DAY_MS = 24 * HOUR_MS;
/** Shifts the crowd that an account follows away from the crowd that follows it. */
const FOLLOWING_SHIFT = 50_021;

/** Only so many accounts follow others of the world, so that large worlds stay quick. */
const EDGES_FROM = 300;

export interface Follow {
  readonly key: number;
  readonly atMs: number;
}

export interface FollowBookOptions {
  readonly seed: number;
  readonly firstDayMs: number;
  readonly startMs: number;
  readonly pace: Pace;
}

interface Ledger {
  entries: Follow[];
  nextHour: number;
  arrived: number;
  demoSlots: number;
  readonly left: Set<number>;
}

/** The follows of one world. */
export function createFollowBook(people: People, options: FollowBookOptions) {
  const ledgers = new Map<number, Ledger>();
  let strangers = 0;
  const byFollower = new Map<number, Follow[]>();

  function ledgerOf(account: Account, nowMs: number): Ledger {
    let ledger = ledgers.get(account.index);
    if (ledger === undefined) {
      ledger = { entries: edgesTo(account), nextHour: Math.floor(options.firstDayMs / HOUR_MS), arrived: 0, demoSlots: 0, left: new Set() };
      ledgers.set(account.index, ledger);
    }
    extend(ledger, account, nowMs);
    return ledger;
  }

  function edgesTo(account: Account): Follow[] {
    if (account.followersPerDay === 0) return [];
    const follows = people.native.slice(0, EDGES_FROM).filter((other) => hasEdge(other.index, account.index));
    return follows.map((other) => ({ key: other.index, atMs: edgeMs(other.index, account.index) })).sort((a, b) => a.atMs - b.atMs);
  }

  const hasEdge = (from: number, to: number): boolean => from !== to && from < EDGES_FROM && unit(options.seed, "edge", from, to) < 0.15;

  function edgeMs(from: number, to: number): number {
    const spread = unit(options.seed, "edge-recent", from, to) < 0.1 ? 10 : 900;
    return options.firstDayMs - 1 - Math.floor(unit(options.seed, "edge-at", from, to) * spread * DAY_MS);
  }

  function extend(ledger: Ledger, account: Account, nowMs: number): void {
    const before = ledger.entries.length;
    for (; ledger.nextHour <= Math.floor(nowMs / HOUR_MS); ledger.nextHour += 1) ledger.entries.push(...arrivals(ledger, account));
    if (options.pace === "demo" && account.index < 2) ledger.entries.push(...demoArrivals(ledger, account, nowMs));
    if (ledger.entries.length > before) ledger.entries.sort((a, b) => a.atMs - b.atMs);
  }

  function arrivals(ledger: Ledger, account: Account): Follow[] {
    const dice = createDice(options.seed, "arrivals", account.index, ledger.nextHour);
    return Array.from({ length: poisson(dice, account.followersPerDay / 24) }, () => ({
      key: crowdFollower(account.index, account.followersBefore + ledger.arrived++),
      atMs: Math.floor((ledger.nextHour + dice()) * HOUR_MS),
    }));
  }

  function demoArrivals(ledger: Ledger, account: Account, nowMs: number): Follow[] {
    const fresh = demoFollowTimes(options.startMs, nowMs).slice(ledger.demoSlots);
    const known = new Set(ledger.entries.map((entry) => entry.key));
    return fresh.map((atMs) => {
      const key = demoFollower(account, ledger.demoSlots++, known);
      known.add(key);
      return { key, atMs };
    });
  }

  /** Indexed, so that both ways of watching see them; every other one with a large following. */
  function demoFollower(account: Account, slot: number, known: ReadonlySet<number>): number {
    for (let attempt = 0; ; attempt += 1) {
      const key = CROWD_FROM + (hash32(options.seed, "demo-follower", account.index, slot, attempt) % CROWD_SIZE);
      const person = crowdPerson(options.seed, key);
      const isWanted = person.indexed && (slot % 2 === 1 || person.followersCount >= 10_000);
      if (isWanted && !known.has(key) && crowdRank(account.index, key) > account.followersBefore + 100_000) return key;
    }
  }

  /** Those held one by one, oldest first. */
  const recent = (account: Account, nowMs: number): readonly Follow[] => {
    const ledger = ledgerOf(account, nowMs);
    return ledger.entries.filter((entry) => entry.atMs <= nowMs && !ledger.left.has(entry.key));
  };

  const oldFollowMs = (account: Account, rank: number): number =>
    options.firstDayMs - Math.floor(((account.followersBefore - rank) * DAY_MS) / Math.max(0.01, account.followersPerDay));

  /** Followers gained at or after `sinceMs`, newest first. */
  function followersSince(account: Account, nowMs: number, sinceMs: number): readonly Follow[] {
    const young = recent(account, nowMs).filter((entry) => entry.atMs >= sinceMs);
    const old: Follow[] = [];
    const { left } = ledgerOf(account, nowMs);
    for (let rank = account.followersBefore - 1; rank >= 0 && oldFollowMs(account, rank) >= sinceMs; rank -= 1) {
      const key = crowdFollower(account.index, rank);
      if (!left.has(key)) old.push({ key, atMs: oldFollowMs(account, rank) });
    }
    return [...young, ...old].sort((a, b) => b.atMs - a.atMs);
  }

  function followerCount(account: Account, nowMs: number): number {
    const ledger = ledgerOf(account, nowMs);
    const leftOld = [...ledger.left].filter((key) => !ledger.entries.some((entry) => entry.key === key)).length;
    return account.followersBefore + recent(account, nowMs).length - leftOld;
  }

  /** The follower at a position counted from the oldest; undefined where somebody left. */
  function followerAt(account: Account, position: number, nowMs: number): number | undefined {
    const ledger = ledgerOf(account, nowMs);
    const key =
      position < account.followersBefore
        ? crowdFollower(account.index, position)
        : recent(account, nowMs)[position - account.followersBefore]?.key;
    return key === undefined || ledger.left.has(key) ? undefined : key;
  }

  /** Positions of the follower list: one more than the youngest. */
  const followerPositions = (account: Account, nowMs: number): number => account.followersBefore + recent(account, nowMs).length;

  /** Accounts and people someone followed, held one by one, oldest first. */
  function recentFollowings(key: number, nowMs: number): readonly Follow[] {
    const edges = people.native.filter((to) => isEdge(key, to)).map((to) => ({ key: to.index, atMs: edgeMs(key, to.index) }));
    return [...edges, ...(byFollower.get(key) ?? [])]
      .filter((entry) => entry.atMs <= nowMs && !isLeft(entry.key, key, nowMs))
      .sort((a, b) => a.atMs - b.atMs);
  }

  const isEdge = (from: number, to: Account): boolean => (people.native[from] === undefined ? false : hasEdge(from, to.index));

  function isLeft(target: number, follower: number, nowMs: number): boolean {
    const account = people.account(target);
    return account !== undefined && ledgerOf(account, nowMs).left.has(follower);
  }

  /** Does `follower` follow `target`? */
  function isFollowing(follower: number, target: number, nowMs: number): boolean {
    const account = people.account(target);
    if (account === undefined) return false;
    const ledger = ledgerOf(account, nowMs);
    if (ledger.left.has(follower)) return false;
    if (follower >= CROWD_FROM && crowdRank(account.index, follower) < account.followersBefore) return true;
    return ledger.entries.some((entry) => entry.key === follower && entry.atMs <= nowMs);
  }

  function add(target: number, follower: number, atMs: number, nowMs: number): void {
    const account = people.account(target);
    if (account === undefined) return;
    const ledger = ledgerOf(account, nowMs);
    ledger.left.delete(follower);
    if (isFollowing(follower, target, nowMs)) return;
    ledger.entries.push({ key: follower, atMs });
    ledger.entries.sort((a, b) => a.atMs - b.atMs);
    byFollower.set(follower, [...(byFollower.get(follower) ?? []), { key: target, atMs }]);
  }

  function remove(target: number, follower: number, nowMs: number): void {
    const account = people.account(target);
    if (account !== undefined) ledgerOf(account, nowMs).left.add(follower);
  }

  /** Someone of the crowd, indexed, who does not follow the account and by nature will not soon. */
  function stranger(target: number, nowMs: number): number {
    for (let attempt = 0; ; attempt += 1) {
      const key = CROWD_FROM + (hash32(options.seed, "stranger", target, strangers++, attempt) % CROWD_SIZE);
      const isFree = !isFollowing(key, target, nowMs) && crowdRank(target, key) > CROWD_SIZE / 2;
      if (isFree && crowdPerson(options.seed, key).indexed) return key;
    }
  }

  return {
    recent,
    stranger,
    followersSince,
    followerCount,
    followerAt,
    followerPositions,
    recentFollowings,
    followingCount: (account: Account, nowMs: number): number => account.followingsBefore + recentFollowings(account.index, nowMs).length,
    /** The crowd an account followed before the first day, by position from the oldest. */
    oldFollowing: (account: Account, position: number): number => crowdFollower(account.index + FOLLOWING_SHIFT, position),
    isFollowing,
    add,
    remove,
  };
}
