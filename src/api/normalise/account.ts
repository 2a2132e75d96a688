/**
 * Normalises what the service says about an account apart from its profile, and the lookups between
 * handles, links and ids.
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
  /** ISO 8601 UTC; "" if the handle was never changed. */
  readonly last_username_change_at: string;
  /** The number of times that the handle was changed. */
  readonly username_change_count: number;
}

/** The answer of /id-to-username (api-v3.md, "Handle"). */
export interface Handle extends JsonObject {
  /** The current handle without @. It may differ from an earlier one. */
  readonly handle: string;
}

/** The answer of /username-to-id and /link-to-id (docs/service.md, section 1). */
export interface ResolvedId extends JsonObject {
  /** A string of digits that stays the same when the account is renamed. */
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
