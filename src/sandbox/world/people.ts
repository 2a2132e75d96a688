/** Who exists, under which handle, and whether they can be seen. Accounts can be renamed, hidden and added; the crowd cannot. */
import { type Account, createAccount, createAccounts } from "./accounts.ts";
import { CROWD_FROM, type CrowdPerson, crowdKeyOfHandle, crowdKeyOfId, crowdPerson } from "./crowd.ts";

export interface AccountState {
  username: string;
  protected: boolean;
  suspended: boolean;
  deleted: boolean;
  renamedMs: readonly number[];
  /** Shown instead of the real count. */
  followersShown?: number;
}

export type People = ReturnType<typeof createPeople>;

/** The named accounts of a world and the crowd behind them, addressed by user key. */
export function createPeople(seed: number, count: number) {
  const accounts: Account[] = createAccounts(seed, count);
  const native: readonly Account[] = [...accounts];
  const states: AccountState[] = [];
  const byHandle = new Map<string, number>();
  const byId = new Map<string, number>();
  const indexed = new Map<number, boolean>();

  function enroll(account: Account): void {
    states[account.index] = { username: account.username, protected: false, suspended: false, deleted: false, renamedMs: [] };
    byHandle.set(account.username.toLowerCase(), account.index);
    byId.set(account.id, account.index);
  }
  accounts.forEach(enroll);

  const keyOfHandle = (handle: string): number | undefined => byHandle.get(handle.toLowerCase()) ?? crowdKeyOfHandle(seed, handle);

  /** The key behind a handle; a new, silent account when nobody has it. */
  function ensure(username: string): number {
    const known = keyOfHandle(username);
    if (known !== undefined) return known;
    const account = createAccount(seed, accounts.length, username);
    accounts.push(account);
    enroll(account);
    return account.index;
  }

  function rename(key: number, username: string, nowMs: number): void {
    const state = states[key];
    if (state === undefined) return;
    byHandle.delete(state.username.toLowerCase());
    byHandle.set(username.toLowerCase(), key);
    state.username = username;
    state.renamedMs = [...state.renamedMs, nowMs];
  }

  return {
    seed,
    /** Those the world was born with: only they post by themselves. */
    native,
    account: (key: number): Account | undefined => accounts[key],
    accounts: (): readonly Account[] => accounts,
    person: (key: number): CrowdPerson => crowdPerson(seed, key),
    state: (key: number): AccountState | undefined => states[key],
    usernameOf: (key: number): string => states[key]?.username ?? crowdPerson(seed, key).username,
    idOf: (key: number): string => accounts[key]?.id ?? crowdPerson(seed, key).id,
    setIndexed: (key: number, isIndexed: boolean): void => void indexed.set(key, isIndexed),
    isIndexed: (key: number): boolean =>
      indexed.get(key) ?? accounts[key]?.indexed ?? (key >= CROWD_FROM && crowdPerson(seed, key).indexed),
    isProtected: (key: number): boolean => states[key]?.protected ?? false,
    isGone: (key: number): boolean => (states[key]?.suspended ?? false) || (states[key]?.deleted ?? false),
    /** Deleted, suspended and protected accounts answer 404 (api-v3.md, Errors). */
    isReadable: (key: number): boolean => !(states[key]?.suspended || states[key]?.deleted || states[key]?.protected),
    keyOfHandle,
    keyOfId: (id: string): number | undefined => byId.get(id) ?? crowdKeyOfId(seed, id),
    ensure,
    rename,
  };
}
