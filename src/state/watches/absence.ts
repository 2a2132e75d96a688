/**
 * Records in a target's memory for how long it was not polled, because it or its watch was paused,
 * disabled or removed.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Absence } from "../../model/watch-store.ts";
import { fromText, toText } from "../db/json-text.ts";
import type { TargetRow } from "./watch-state.ts";

export interface Return {
  readonly fromMs: number;
  readonly atMs: number;
  readonly isFromNow?: boolean;
}

/**
 * Returns the row of a target that is polled again. The target is read from where its own last poll
 * ended, although polls for other watches may have read the same source since then. A target that
 * was never read begins now.
 */
export function markReturned(row: TargetRow, { fromMs, atMs, isFromNow }: Return): TargetRow {
  const revision = row.revision + 1;
  if (row.baseline_at === null) return { ...row, registered_at: atMs, revision };
  const before = fromText<JsonObject>(row.memory);
  const earlier = before["away"] as Absence | undefined;
  // Posts that were missed earlier and are not read yet are still missing.
  const resumeMs =
    typeof before["resume_ms"] === "number" ? Math.min(before["resume_ms"], fromMs) : fromMs;
  const away: Absence = {
    from_ms:
      earlier === undefined || earlier.done === true ? fromMs : Math.min(earlier.from_ms, fromMs),
    to_ms: atMs,
    ...(isFromNow === true ? { from_now: true } : {}),
  };
  return {
    ...row,
    memory: toText({ ...before, resume_ms: resumeMs, away: away as unknown as JsonObject }),
    revision,
  };
}
