/**
 * Who exists, whatever the time: accounts of the world, accounts added or recorded, and the crowd,
 * by user key. Accounts of the world are made when they are asked for; only what was changed by
 * hand, added or recorded is kept. The crowd cannot be changed.
 */
import type { User } from "../../../model/user.ts";
import type { AccountState } from "./account-state.ts";
import {
  type Account,
  createAccount,
  positionInHandle,
  positionInId,
  worldSize,
} from "./accounts.ts";
import {
  CROWD_FROM,
  type CrowdPerson,
  crowdKeyOfHandle,
  crowdKeyOfId,
  crowdPerson,
} from "./crowd.ts";
import { createLives, type Lives } from "./lives.ts";

/** Keys from here on are recorded users: see load-records.ts. */
const RECORDED_FROM = 100_000_000;
/** Accounts that are remembered; any can be made again. */
const REMEMBERED = 50_000;

export interface PeopleOptions {
  readonly seed: number;
  readonly count: number;
  readonly startMs: number;
}

/** The people of one world, addressed by user key. */
export class PeopleDirectory {
  readonly seed: number;
  /** Accounts the world began with: keys below this post by themselves. */
  readonly count: number;
  readonly lives: Lives;
  /** Of accounts that were changed by hand. */
  readonly states = new Map<number, AccountState>();
  /** Whether the service knows somebody's follows, where that was set by hand. */
  readonly indexed = new Map<number, boolean>();
  readonly #made = new Map<number, Account>();
  readonly #added: Account[] = [];
  readonly #recorded: User[] = [];
  /** Handles and ids that no pure function leads back from. */
  readonly #byHandle = new Map<string, number>();
  readonly #byId = new Map<string, number>();

  constructor({ seed, count, startMs }: PeopleOptions) {
    this.seed = seed;
    this.count = worldSize(count);
    this.lives = createLives({ seed, startMs, count: this.count });
  }

  account(key: number): Account | undefined {
    if (key >= this.count || key < 0) return this.#added[key - this.count];
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    if (this.#made.size >= REMEMBERED) this.#made.clear();
    const made = createAccount(this.seed, key);
    this.#made.set(key, made);
    return made;
  }

  recordedUser(key: number): User | undefined {
    return key >= RECORDED_FROM ? this.#recorded[key - RECORDED_FROM] : undefined;
  }

  isCrowd(key: number): boolean {
    return key >= CROWD_FROM && key < RECORDED_FROM;
  }

  /** Somebody of the crowd. */
  person(key: number): CrowdPerson {
    return crowdPerson(this.seed, key);
  }

  /** Keys of all accounts: the world's own, added, recorded. The crowd is nobody's list. */
  *keys(): Generator<number> {
    for (let key = 0; key < this.count + this.#added.length; key += 1) yield key;
    for (let n = 0; n < this.#recorded.length; n += 1) yield RECORDED_FROM + n;
  }

  /** A new, silent account. */
  add(username: string): number {
    const account = createAccount(this.seed, this.count + this.#added.length, username);
    this.#added.push(account);
    this.#byHandle.set(username.toLowerCase(), account.index);
    this.#byId.set(account.id, account.index);
    return account.index;
  }

  /** A user as the service once showed it; takes the place of one of the same id. */
  record(user: User): number {
    const known = this.#byId.get(user.id);
    const key =
      known !== undefined && known >= RECORDED_FROM ? known : RECORDED_FROM + this.#recorded.length;
    this.#recorded[key - RECORDED_FROM] = user;
    this.#byId.set(user.id, key);
    this.#byHandle.set(user.username.toLowerCase(), key);
    return key;
  }

  /** Leads a handle to another account; the one that the account had before leads nowhere. */
  giveHandle(key: number, before: string, handle: string): void {
    if (this.#byHandle.get(before.toLowerCase()) === key)
      this.#byHandle.delete(before.toLowerCase());
    this.#byHandle.set(handle.toLowerCase(), key);
  }

  /**
   * The key behind a handle in lower case; `usernameOf` says which name an account of the world has
   * now.
   */
  keyOfHandle(handle: string, usernameOf: (key: number) => string): number | undefined {
    const given = this.#byHandle.get(handle);
    if (given !== undefined) return given;
    const position = positionInHandle(handle);
    if (position !== undefined && position < this.count && usernameOf(position) === handle)
      return position;
    return crowdKeyOfHandle(this.seed, handle);
  }

  keyOfId(id: string): number | undefined {
    const given = this.#byId.get(id);
    if (given !== undefined) return given;
    const position = positionInId(this.seed, id);
    return position >= 0 && position < this.count && this.account(position)?.id === id
      ? position
      : crowdKeyOfId(this.seed, id);
  }
}
