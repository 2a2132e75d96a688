/** What can be changed by hand about an account. */
import type { Json } from "../../../model/json.ts";
import type { User } from "../../../model/user.ts";

/** The state of an account after a change by hand. It no longer changes by itself. */
export interface AccountState {
  username: string;
  protected: boolean;
  suspended: boolean;
  deleted: boolean;
  renamedMs: readonly number[];
  /** Whether search leaves the account out, as it does with some; timelines show it. */
  hiddenFromSearch: boolean;
  /** Fields of the profile that are shown instead of the real ones. */
  shown: ProfileEdits;
  /** The country that /about shows instead of the real one. */
  country?: string;
}

/**
 * The profile fields that can be set by hand, except those that have a field of their own in the
 * state.
 */
export type ProfileEdits = Partial<Omit<User, "id" | "username" | "protected">>;

/**
 * Shows these fields instead of the real ones. The value null shows the real one again; fields that
 * are not given stay as they are.
 */
export function showInstead(state: AccountState, fields: Readonly<Record<string, Json>>): void {
  const all = Object.entries({ ...state.shown, ...fields });
  state.shown = Object.fromEntries(all.filter(([, value]) => value !== null));
}
