/**
 * All users that exist at any time, by user key: the accounts of the world, accounts that were
 * added or recorded, and the crowd. Accounts of the world are computed when they are needed; only
 * changed, added and recorded accounts are stored. The crowd cannot be changed.
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
import { createAccountChanges, type AccountChanges } from "./account-changes.ts";

/** The first user key of recorded users, which load-records.ts adds. */
const RECORDED_FROM = 100_000_000;
/** The number of computed accounts that are cached. */
const REMEMBERED = 50_000;

export interface PeopleOptions {
  readonly seed: number;
  readonly count: number;
  readonly startMs: number;
}

/** The users of one world by user key. */
export class PeopleDirectory {
  readonly seed: number;
  /**
   * The number of accounts that the world had at its start. Only these accounts, whose keys are
   * below this number, post by themselves.
   */
  readonly count: number;
  readonly changes: AccountChanges;
  /** The states of accounts that were changed by hand. */
  readonly states = new Map<number, AccountState>();
  /**
   * Whether an account is in the service's own database, for accounts for which this was set by
   * hand.
   */
  readonly indexed = new Map<number, boolean>();
  readonly #made = new Map<number, Account>();
  readonly #added: Account[] = [];
  readonly #recorded: User[] = [];
  /** The user keys for handles and ids from which a key cannot be computed. */
  readonly #byHandle = new Map<string, number>();
  readonly #byId = new Map<string, number>();

  constructor({ seed, count, startMs }: PeopleOptions) {
    this.seed = seed;
    this.count = worldSize(count);
    this.changes = createAccountChanges({ seed, startMs, count: this.count });
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

  /** Returns the user of the crowd with this key. */
  person(key: number): CrowdPerson {
    return crowdPerson(this.seed, key);
  }

  /**
   * Yields the keys of all accounts: those of the world, and those that were added or recorded. The
   * crowd is left out.
   */
  *keys(): Generator<number> {
    for (let key = 0; key < this.count + this.#added.length; key += 1) yield key;
    for (let n = 0; n < this.#recorded.length; n += 1) yield RECORDED_FROM + n;
  }

  /** Adds an account that posts nothing, and returns its key. */
  add(username: string): number {
    const account = createAccount(this.seed, this.count + this.#added.length, username);
    this.#added.push(account);
    this.#byHandle.set(username.toLowerCase(), account.index);
    this.#byId.set(account.id, account.index);
    return account.index;
  }

  /**
   * Adds a user as the service once showed it, and returns its key. A recorded user with the same
   * id is replaced.
   */
  record(user: User): number {
    const known = this.#byId.get(user.id);
    const key =
      known !== undefined && known >= RECORDED_FROM ? known : RECORDED_FROM + this.#recorded.length;
    this.#recorded[key - RECORDED_FROM] = user;
    this.#byId.set(user.id, key);
    this.#byHandle.set(user.username.toLowerCase(), key);
    return key;
  }

  /** Gives an account a new handle. Its previous handle `before` is free afterwards. */
  giveHandle(key: number, before: string, handle: string): void {
    if (this.#byHandle.get(before.toLowerCase()) === key)
      this.#byHandle.delete(before.toLowerCase());
    this.#byHandle.set(handle.toLowerCase(), key);
  }

  /**
   * Returns the key of the user with this handle, which must be in lower case. `usernameOf` returns
   * the present handle of an account.
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
