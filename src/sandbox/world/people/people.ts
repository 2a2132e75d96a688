/**
 * Answers questions about users at one moment: which handles they have, and whether they can be
 * read.
 */
import type { User } from "../../../model/user.ts";
import type { AccountState, ProfileEdits } from "./account-state.ts";
import { type Account, handleAfter } from "./accounts.ts";
import type { CrowdPerson } from "./crowd.ts";
import type { PeopleDirectory } from "./people-directory.ts";

const NO_EDITS: ProfileEdits = {};

export class People {
  readonly #directory: PeopleDirectory;
  readonly #now: () => number;

  constructor(directory: PeopleDirectory, now: () => number) {
    this.#directory = directory;
    this.#now = now;
  }

  get seed(): number {
    return this.#directory.seed;
  }

  /**
   * The number of accounts that the world had at its start. Only these accounts, whose keys are
   * below this number, post by themselves.
   */
  get count(): number {
    return this.#directory.count;
  }

  account(key: number): Account | undefined {
    return this.#directory.account(key);
  }

  recordedUser(key: number): User | undefined {
    return this.#directory.recordedUser(key);
  }

  /** Returns the user of the crowd with this key. */
  person(key: number): CrowdPerson {
    return this.#directory.person(key);
  }

  isCrowd(key: number): boolean {
    return this.#directory.isCrowd(key);
  }

  /**
   * Returns the keys of all accounts: those of the world, and those that were added or recorded.
   * The crowd is left out.
   */
  keys(): Generator<number> {
    return this.#directory.keys();
  }

  idOf(key: number): string {
    return this.recordedUser(key)?.id ?? this.account(key)?.id ?? this.person(key).id;
  }

  usernameOf(key: number): string {
    const set = this.#directory.states.get(key)?.username ?? this.recordedUser(key)?.username;
    if (set !== undefined) return set;
    const named = this.account(key);
    return named === undefined
      ? this.person(key).username
      : handleAfter(named, this.renames(key).length);
  }

  /** Returns the times at which the account was renamed (epoch ms), earliest first. */
  renames(key: number): readonly number[] {
    return (
      this.#directory.states.get(key)?.renamedMs ??
      this.#directory.changes.renames(key, this.#now())
    );
  }

  /** Returns how often the account's profile has changed by itself. */
  revisions(key: number): number {
    return this.#directory.changes.revisions(key, this.#now());
  }

  keyOfHandle(handle: string): number | undefined {
    return this.#directory.keyOfHandle(handle.toLowerCase(), (key) => this.usernameOf(key));
  }

  keyOfId(id: string): number | undefined {
    return this.#directory.keyOfId(id);
  }

  /**
   * Returns the key of the user with this handle. If there is none, an account that posts nothing
   * is added.
   */
  ensure(username: string): number {
    return this.keyOfHandle(username) ?? this.#directory.add(username);
  }

  isProtected(key: number): boolean {
    const { states, changes } = this.#directory;
    return (
      states.get(key)?.protected ??
      this.recordedUser(key)?.protected ??
      changes.isProtected(key, this.#now())
    );
  }

  #isSuspended(key: number): boolean {
    return (
      this.#directory.states.get(key)?.suspended ??
      this.#directory.changes.isSuspended(key, this.#now())
    );
  }

  #isDeleted(key: number): boolean {
    return (
      this.#directory.states.get(key)?.deleted ??
      this.#directory.changes.isDeleted(key, this.#now())
    );
  }

  isGone(key: number): boolean {
    return this.#isSuspended(key) || this.#isDeleted(key);
  }

  /**
   * Whether the account can be read. The service answers 404 for deleted, suspended and protected
   * accounts (api-v3.md, Errors).
   */
  isReadable(key: number): boolean {
    return !this.isGone(key) && !this.isProtected(key);
  }

  isHiddenFromSearch(key: number): boolean {
    return (
      this.#directory.states.get(key)?.hiddenFromSearch ??
      this.#directory.changes.isHiddenFromSearch(key)
    );
  }

  isIndexed(key: number): boolean {
    return (
      this.#directory.indexed.get(key) ??
      this.account(key)?.indexed ??
      (this.isCrowd(key) && this.person(key).indexed)
    );
  }

  setIndexed(key: number, isIndexed: boolean): void {
    this.#directory.indexed.set(key, isIndexed);
  }

  /** Returns the profile fields that were set by hand. */
  shown(key: number): ProfileEdits {
    return this.#directory.states.get(key)?.shown ?? NO_EDITS;
  }

  country(key: number): string | undefined {
    return this.#directory.states.get(key)?.country;
  }

  /**
   * Returns the account's state for changes by hand; undefined for the crowd. After this call the
   * account no longer changes by itself.
   */
  state(key: number): AccountState | undefined {
    const { states, changes } = this.#directory;
    if (this.isCrowd(key) || (this.account(key) ?? this.recordedUser(key)) === undefined)
      return undefined;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: AccountState = {
      username: this.usernameOf(key),
      protected: this.isProtected(key),
      suspended: this.#isSuspended(key),
      deleted: this.#isDeleted(key),
      renamedMs: this.renames(key),
      hiddenFromSearch: changes.isHiddenFromSearch(key),
      shown: {},
    };
    states.set(key, state);
    return state;
  }

  rename(key: number, username: string, renamedMs: number): void {
    const changed = this.state(key);
    if (changed === undefined) return;
    this.#directory.giveHandle(key, changed.username, username);
    changed.username = username;
    changed.renamedMs = [...changed.renamedMs, renamedMs];
  }
}
