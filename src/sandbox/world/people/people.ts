/** How people are at one moment: under which handle, and whether they can be seen. */
import type { User } from "../../../model/user.ts";
import type { AccountState, ProfileEdits } from "./account-state.ts";
import { type Account, handleAfter } from "./accounts.ts";
import type { CrowdPerson } from "./crowd.ts";
import type { PeopleDirectory } from "./people-directory.ts";

const NO_EDITS: ProfileEdits = {};

/** The people of a directory as they are whenever they are asked about. */
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

  /** Accounts the world began with: keys below this post by themselves. */
  get count(): number {
    return this.#directory.count;
  }

  account(key: number): Account | undefined {
    return this.#directory.account(key);
  }

  recordedUser(key: number): User | undefined {
    return this.#directory.recordedUser(key);
  }

  /** Somebody of the crowd. */
  person(key: number): CrowdPerson {
    return this.#directory.person(key);
  }

  isCrowd(key: number): boolean {
    return this.#directory.isCrowd(key);
  }

  /** Keys of all accounts: the world's own, added, recorded. The crowd is nobody's list. */
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

  /** Moments at which the account got another name, earliest first. */
  renames(key: number): readonly number[] {
    return (
      this.#directory.states.get(key)?.renamedMs ?? this.#directory.lives.renames(key, this.#now())
    );
  }

  /** How often its profile was changed. */
  revisions(key: number): number {
    return this.#directory.lives.revisions(key, this.#now());
  }

  keyOfHandle(handle: string): number | undefined {
    return this.#directory.keyOfHandle(handle.toLowerCase(), (key) => this.usernameOf(key));
  }

  keyOfId(id: string): number | undefined {
    return this.#directory.keyOfId(id);
  }

  /** The key behind a handle; a new, silent account when nobody has it. */
  ensure(username: string): number {
    return this.keyOfHandle(username) ?? this.#directory.add(username);
  }

  isProtected(key: number): boolean {
    const { states, lives } = this.#directory;
    return (
      states.get(key)?.protected ??
      this.recordedUser(key)?.protected ??
      lives.isProtected(key, this.#now())
    );
  }

  #isSuspended(key: number): boolean {
    return (
      this.#directory.states.get(key)?.suspended ??
      this.#directory.lives.isSuspended(key, this.#now())
    );
  }

  #isDeleted(key: number): boolean {
    return (
      this.#directory.states.get(key)?.deleted ?? this.#directory.lives.isDeleted(key, this.#now())
    );
  }

  isGone(key: number): boolean {
    return this.#isSuspended(key) || this.#isDeleted(key);
  }

  /** Deleted, suspended and protected accounts answer 404 (api-v3.md, Errors). */
  isReadable(key: number): boolean {
    return !this.isGone(key) && !this.isProtected(key);
  }

  isHiddenFromSearch(key: number): boolean {
    return (
      this.#directory.states.get(key)?.hiddenFromSearch ??
      this.#directory.lives.isHiddenFromSearch(key)
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

  /** What is shown of a profile instead of the real fields. */
  shown(key: number): ProfileEdits {
    return this.#directory.states.get(key)?.shown ?? NO_EDITS;
  }

  country(key: number): string | undefined {
    return this.#directory.states.get(key)?.country;
  }

  /**
   * To be changed: from now on the account is as it is, until its maker says otherwise. Undefined
   * for the crowd.
   */
  state(key: number): AccountState | undefined {
    const { states, lives } = this.#directory;
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
      hiddenFromSearch: lives.isHiddenFromSearch(key),
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
