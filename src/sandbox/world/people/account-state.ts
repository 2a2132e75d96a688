/** The properties of an account that can be changed by hand. */
import type { Json } from "../../../model/json.ts";
import type { User } from "../../../model/user.ts";

/**
 * The state of an account that was changed by hand. From then on the account no longer changes by
 * itself.
 */
export interface AccountState {
  username: string;
  protected: boolean;
  suspended: boolean;
  deleted: boolean;
  renamedMs: readonly number[];
  /** Whether search leaves the account out. Timelines still show it. */
  hiddenFromSearch: boolean;
  /** Profile fields that are shown in place of the generated or recorded ones. */
  shown: ProfileEdits;
  /** The country that /about answers with, in place of the generated one. */
  country?: string;
}

/**
 * The profile fields that can be set by hand. Id, handle and protection are not among them, because
 * the state has fields of its own for the last two and the id never changes.
 */
export type ProfileEdits = Partial<Omit<User, "id" | "username" | "protected">>;

/**
 * Sets the given profile fields, which are then shown in place of the real ones. Null shows the
 * real value again. Fields that are not given stay as they are.
 */
export function showInstead(state: AccountState, fields: Readonly<Record<string, Json>>): void {
  const all = Object.entries({ ...state.shown, ...fields });
  state.shown = Object.fromEntries(all.filter(([, value]) => value !== null));
}
