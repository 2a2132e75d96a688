/** The key's own account with the service: what it becomes. */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import { numberOrNull, recordOf, text } from "./answer-object.ts";

/**
 * Answer of /key-usage-info (docs/service.md section 1). Numbers are null when they cannot be read:
 * unknown is not 0. Trust only `remaining_requests` and `valid_until`: sources disagree about the
 * other two.
 */
export interface KeyUsage extends JsonObject {
  readonly key_requests: number | null;
  /** Billed requests left in the period. */
  readonly remaining_requests: number | null;
  readonly total_requests: number | null;
  /** As the service writes it. */
  readonly valid_until: string;
}

export const readKeyUsage: (raw: Raw) => KeyUsage = recordOf({
  key_requests: numberOrNull,
  remaining_requests: numberOrNull,
  total_requests: numberOrNull,
  valid_until: text,
});
