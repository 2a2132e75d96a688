/** How people are at one moment: under which handle, and whether they can be seen. */
import type { User } from "../../../model/user.ts";
import type { AccountState, ProfileEdits } from "./account-state.ts";
import { type Account, handleAfter } from "./accounts.ts";
import type { CrowdPerson } from "./crowd.ts";
import type { PeopleBook } from "./people-book.ts";

const NO_EDITS: ProfileEdits = {};

/** The people of a book as they are whenever they are asked about. */
export class People {
  readonly #book: PeopleBook;
  readonly #now: () => number;

  constructor(book: PeopleBook, now: () => number) {
    this.#book = book;
    this.#now = now;
  }

  get seed(): number {
    return this.#book.seed;
  }

  /** Accounts the world began with: keys below this post by themselves. */
  get count(): number {
    return this.#book.count;
  }

  account(key: number): Account | undefined {
    return this.#book.account(key);
  }

  recordedUser(key: number): User | undefined {
    return this.#book.recordedUser(key);
  }

  /** Somebody of the crowd. */
  person(key: number): CrowdPerson {
    return this.#book.person(key);
  }

  isCrowd(key: number): boolean {
    return this.#book.isCrowd(key);
  }

  /** Keys of all accounts: the world's own, added, recorded. The crowd is nobody's list. */
  keys(): Generator<number> {
    return this.#book.keys();
  }

  idOf(key: number): string {
    return this.recordedUser(key)?.id ?? this.account(key)?.id ?? this.person(key).id;
  }

  usernameOf(key: number): string {
    const set = this.#book.states.get(key)?.username ?? this.recordedUser(key)?.username;
    if (set !== undefined) return set;
    const named = this.account(key);
    return named === undefined ? this.person(key).username : handleAfter(named, this.renames(key).length);
  }

  /** Moments at which the account got another name, earliest first. */
  renames(key: number): readonly number[] {
    return this.#book.states.get(key)?.renamedMs ?? this.#book.lives.renames(key, this.#now());
  }

  /** How often its profile was changed. */
  revisions(key: number): number {
    return this.#book.lives.revisions(key, this.#now());
  }

  keyOfHandle(handle: string): number | undefined {
    return this.#book.keyOfHandle(handle.toLowerCase(), (key) => this.usernameOf(key));
  }

  keyOfId(id: string): number | undefined {
    return this.#book.keyOfId(id);
  }

  /** The key behind a handle; a new, silent account when nobody has it. */
  ensure(username: string): number {
    return this.keyOfHandle(username) ?? this.#book.add(username);
  }

  isProtected(key: number): boolean {
    const { states, lives } = this.#book;
    return states.get(key)?.protected ?? this.recordedUser(key)?.protected ?? lives.isProtected(key, this.#now());
  }

  #isSuspended(key: number): boolean {
    return this.#book.states.get(key)?.suspended ?? this.#book.lives.isSuspended(key, this.#now());
  }

  #isDeleted(key: number): boolean {
    return this.#book.states.get(key)?.deleted ?? this.#book.lives.isDeleted(key, this.#now());
  }

  isGone(key: number): boolean {
    return this.#isSuspended(key) || this.#isDeleted(key);
  }

  /** Deleted, suspended and protected accounts answer 404 (api-v3.md, Errors). */
  isReadable(key: number): boolean {
    return !this.isGone(key) && !this.isProtected(key);
  }

  isHiddenFromSearch(key: number): boolean {
    return this.#book.states.get(key)?.hiddenFromSearch ?? this.#book.lives.isHiddenFromSearch(key);
  }

  isIndexed(key: number): boolean {
    return this.#book.indexed.get(key) ?? this.account(key)?.indexed ?? (this.isCrowd(key) && this.person(key).indexed);
  }

  setIndexed(key: number, isIndexed: boolean): void {
    this.#book.indexed.set(key, isIndexed);
  }

  /** What is shown of a profile instead of the real fields. */
  shown(key: number): ProfileEdits {
    return this.#book.states.get(key)?.shown ?? NO_EDITS;
  }

  country(key: number): string | undefined {
    return this.#book.states.get(key)?.country;
  }

  /** To be changed: from now on the account is as it is, until its maker says otherwise. Undefined for the crowd. */
  state(key: number): AccountState | undefined {
    const { states, lives } = this.#book;
    if (this.isCrowd(key) || (this.account(key) ?? this.recordedUser(key)) === undefined) return undefined;
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
    this.#book.giveHandle(key, changed.username, username);
    changed.username = username;
    changed.renamedMs = [...changed.renamedMs, renamedMs];
  }
}
