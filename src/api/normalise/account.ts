/**
 * Normalises what the service says about an account besides its profile, and its answers to lookups
 * of handles, links and ids.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import {
  count,
  withAliases,
  requiredId,
  requiredText,
  recordOf,
  text,
  time,
} from "./answer-object.ts";

/** The answer of /about (api-v3.md, "Account about"). */
export interface AccountAbout extends JsonObject {
  /**
   * The name of the country as the service writes it, e.g. `Germany`; "" if the service names none.
   */
  readonly country: string;
  /** When the handle was last changed, in ISO 8601 UTC; "" if it was never changed. */
  readonly last_username_change_at: string;
  /** The number of times that the handle was changed. */
  readonly username_change_count: number;
}

/** The answer of /id-to-username (api-v3.md, "Handle"). */
export interface Handle extends JsonObject {
  /** The current handle without @. It may differ from an earlier handle of the account. */
  readonly handle: string;
}

/** The answer of /username-to-id and /link-to-id (docs/service.md, section 1). */
export interface ResolvedId extends JsonObject {
  /** The id as a string of digits. It stays the same when the account is renamed. */
  readonly id: string;
}

export const readAbout: (raw: Raw) => AccountAbout = recordOf({
  country: text,
  last_username_change_at: time,
  username_change_count: count,
});
export const readHandle: (raw: Raw) => Handle = recordOf({
  handle: withAliases(requiredText, "username"),
});
export const readResolvedId: (raw: Raw) => ResolvedId = recordOf({ id: requiredId });
