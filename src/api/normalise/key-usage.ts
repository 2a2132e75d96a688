/** Normalises the answer of /key-usage-info: the key's own quota. */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import { numberOrNull, recordOf, text } from "./answer-object.ts";

/**
 * The answer of /key-usage-info (docs/service.md, section 1). A number that cannot be read is null,
 * because unknown is not 0. Trust only `remaining_requests` and `valid_until`: the service's
 * documents disagree about the meaning of the other two.
 */
export interface KeyUsage extends JsonObject {
  readonly key_requests: number | null;
  /** The billed requests that are left in the current quota period. */
  readonly remaining_requests: number | null;
  readonly total_requests: number | null;
  /** When the key expires: the date or time exactly as the service writes it. */
  readonly valid_until: string;
}

export const readKeyUsage: (raw: Raw) => KeyUsage = recordOf({
  key_requests: numberOrNull,
  remaining_requests: numberOrNull,
  total_requests: numberOrNull,
  valid_until: text,
});
