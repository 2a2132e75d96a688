/**
 * What is known about an account besides its profile, and the lookups between handles, links and
 * ids.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import { count, either, promisedId, promisedText, recordOf, text, time } from "./answer-object.ts";

/** Answer of /about (api-v3.md "Account about"). */
export interface AccountAbout extends JsonObject {
  /** Name of the country as the service writes it, e.g. `Germany`; "" when it does not say. */
  readonly country: string;
  /** ISO 8601 UTC; "" when the handle was never changed. */
  readonly last_username_change_at: string;
  /** Changes of the handle so far. */
  readonly username_change_count: number;
}

/** Answer of /id-to-username (api-v3.md "Handle"). */
export interface Handle extends JsonObject {
  /** The handle the account has now, without @; it may differ from an earlier one. */
  readonly handle: string;
}

/** Answer of /username-to-id and /link-to-id (docs/service.md section 1). */
export interface ResolvedId extends JsonObject {
  /** Digits; stable over renames. */
  readonly id: string;
}

export const readAbout: (raw: Raw) => AccountAbout = recordOf({
  country: text,
  last_username_change_at: time,
  username_change_count: count,
});
export const readHandle: (raw: Raw) => Handle = recordOf({
  handle: either(promisedText, "username"),
});
export const readResolvedId: (raw: Raw) => ResolvedId = recordOf({ id: promisedId });
