/**
 * Who exists, under which handle, and whether they can be seen, at one moment. Accounts of the world are made when they are asked for;
 * only what was changed by hand, added or recorded is kept. The crowd cannot be changed.
 */
import type { Json } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import { type Account, createAccount, handleAfter, positionInHandle, positionInId, worldSize } from "./accounts.ts";
import { CROWD_FROM, type CrowdPerson, crowdKeyOfHandle, crowdKeyOfId, crowdPerson } from "./crowd.ts";
import { createLives } from "./lives.ts";

/** Keys from here on are recorded users: see recorded.ts. */
const RECORDED_FROM = 100_000_000;
/** Accounts that are remembered; any can be made again. */
const REMEMBERED = 50_000;

/** What an account was made to be by hand. It no longer changes by itself. */
export interface AccountState {
  username: string;
  protected: boolean;
  suspended: boolean;
  deleted: boolean;
  renamedMs: readonly number[];
  /** Left out by search, as some accounts are; timelines show it. */
  hiddenFromSearch: boolean;
  /** Fields of the profile that are shown instead of the real ones. */
  shown: ProfileEdits;
  /** Shown by /about instead of the real one. */
  country?: string;
}

/** What of a profile can be set by hand, beside what the state has fields of its own for. */
export type ProfileEdits = Partial<Omit<User, "id" | "username" | "protected">>;

const NO_EDITS: ProfileEdits = {};

/** Shows these fields instead of the real ones; null shows the real one again, and what is not given stays as it is. */
export function showInstead(state: AccountState, fields: Readonly<Record<string, Json>>): void {
  const all = Object.entries({ ...state.shown, ...fields });
  state.shown = Object.fromEntries(all.filter(([, value]) => value !== null));
}

export interface PeopleOptions {
  readonly seed: number;
  readonly count: number;
  readonly startMs: number;
}

export type PeopleBook = ReturnType<typeof createPeople>;
export type People = ReturnType<PeopleBook["at"]>;

/** The people of one world, addressed by user key. */
export function createPeople({ seed, count: wanted, startMs }: PeopleOptions) {
  const count = worldSize(wanted);
  const lives = createLives({ seed, startMs, count });
  const made = new Map<number, Account>();
  const added: Account[] = [];
  const recorded: User[] = [];
  const states = new Map<number, AccountState>();
  /** Handles and ids that no pure function leads back from. */
  const byHandle = new Map<string, number>();
  const byId = new Map<string, number>();
  const indexed = new Map<number, boolean>();

  function account(key: number): Account | undefined {
    if (key >= count || key < 0) return added[key - count];
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size >= REMEMBERED) made.clear();
    const born = createAccount(seed, key);
    made.set(key, born);
    return born;
  }

  /** A user as the service once showed it; takes the place of one of the same id. */
  function record(user: User): number {
    const known = byId.get(user.id);
    const key = known !== undefined && known >= RECORDED_FROM ? known : RECORDED_FROM + recorded.length;
    recorded[key - RECORDED_FROM] = user;
    byId.set(user.id, key);
    byHandle.set(user.username.toLowerCase(), key);
    return key;
  }

  /** These people as they are whenever they are asked about. */
  function at(now: () => number) {
    const recordedUser = (key: number): User | undefined => (key >= RECORDED_FROM ? recorded[key - RECORDED_FROM] : undefined);
    const person = (key: number): CrowdPerson => crowdPerson(seed, key);
    const isCrowd = (key: number): boolean => key >= CROWD_FROM && key < RECORDED_FROM;
    const renames = (key: number): readonly number[] => states.get(key)?.renamedMs ?? lives.renames(key, now());

    function usernameOf(key: number): string {
      const set = states.get(key)?.username ?? recordedUser(key)?.username;
      if (set !== undefined) return set;
      const named = account(key);
      return named === undefined ? person(key).username : handleAfter(named, renames(key).length);
    }

    function keyOfHandle(handle: string): number | undefined {
      const plain = handle.toLowerCase();
      const given = byHandle.get(plain);
      if (given !== undefined) return given;
      const position = positionInHandle(plain);
      if (position !== undefined && position < count && usernameOf(position) === plain) return position;
      return crowdKeyOfHandle(seed, plain);
    }

    function keyOfId(id: string): number | undefined {
      const given = byId.get(id);
      if (given !== undefined) return given;
      const position = positionInId(seed, id);
      return position >= 0 && position < count && account(position)?.id === id ? position : crowdKeyOfId(seed, id);
    }

    /** The key behind a handle; a new, silent account when nobody has it. */
    function ensure(username: string): number {
      const known = keyOfHandle(username);
      if (known !== undefined) return known;
      const born = createAccount(seed, count + added.length, username);
      added.push(born);
      byHandle.set(username.toLowerCase(), born.index);
      byId.set(born.id, born.index);
      return born.index;
    }

    const isProtected = (key: number): boolean =>
      states.get(key)?.protected ?? recordedUser(key)?.protected ?? lives.isProtected(key, now());
    const isSuspended = (key: number): boolean => states.get(key)?.suspended ?? lives.isSuspended(key, now());
    const isDeleted = (key: number): boolean => states.get(key)?.deleted ?? lives.isDeleted(key, now());
    const isGone = (key: number): boolean => isSuspended(key) || isDeleted(key);

    /** To be changed: from now on the account is as it is, until its maker says otherwise. Undefined for the crowd. */
    function state(key: number): AccountState | undefined {
      if (isCrowd(key) || (account(key) ?? recordedUser(key)) === undefined) return undefined;
      const known = states.get(key);
      if (known !== undefined) return known;
      const born: AccountState = {
        username: usernameOf(key),
        protected: isProtected(key),
        suspended: isSuspended(key),
        deleted: isDeleted(key),
        renamedMs: renames(key),
        hiddenFromSearch: lives.isHiddenFromSearch(key),
        shown: {},
      };
      states.set(key, born);
      return born;
    }

    function rename(key: number, username: string, renamedMs: number): void {
      const changed = state(key);
      if (changed === undefined) return;
      if (byHandle.get(changed.username.toLowerCase()) === key) byHandle.delete(changed.username.toLowerCase());
      byHandle.set(username.toLowerCase(), key);
      changed.username = username;
      changed.renamedMs = [...changed.renamedMs, renamedMs];
    }

    return {
      seed,
      /** Accounts the world was born with: keys below this post by themselves. */
      count,
      account,
      /** Keys of all accounts: born, added, recorded. The crowd is nobody's list. */
      *keys(): Generator<number> {
        for (let key = 0; key < count + added.length; key += 1) yield key;
        for (let n = 0; n < recorded.length; n += 1) yield RECORDED_FROM + n;
      },
      isCrowd,
      person,
      recordedUser,
      state,
      shown: (key: number): ProfileEdits => states.get(key)?.shown ?? NO_EDITS,
      country: (key: number): string | undefined => states.get(key)?.country,
      usernameOf,
      idOf: (key: number): string => recordedUser(key)?.id ?? account(key)?.id ?? person(key).id,
      renames,
      revisions: (key: number): number => lives.revisions(key, now()),
      setIndexed: (key: number, isIndexed: boolean): void => void indexed.set(key, isIndexed),
      isIndexed: (key: number): boolean => indexed.get(key) ?? account(key)?.indexed ?? (isCrowd(key) && person(key).indexed),
      isProtected,
      isGone,
      /** Deleted, suspended and protected accounts answer 404 (api-v3.md, Errors). */
      isReadable: (key: number): boolean => !isGone(key) && !isProtected(key),
      isHiddenFromSearch: (key: number): boolean => states.get(key)?.hiddenFromSearch ?? lives.isHiddenFromSearch(key),
      keyOfHandle,
      keyOfId,
      ensure,
      rename,
    };
  }

  return { seed, count, account, record, at };
}
