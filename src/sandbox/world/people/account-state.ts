/** What can be changed of an account by hand. */
import type { Json } from "../../../model/json.ts";
import type { User } from "../../../model/user.ts";

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

/**
 * Shows these fields instead of the real ones; null shows the real one again, and what is not given
 * stays as it is.
 */
export function showInstead(state: AccountState, fields: Readonly<Record<string, Json>>): void {
  const all = Object.entries({ ...state.shown, ...fields });
  state.shown = Object.fromEntries(all.filter(([, value]) => value !== null));
}
