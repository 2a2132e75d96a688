/** Alerts that are raised once in each period of the quota. */
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Condition } from "../../model/ops-alerts.ts";

/** A clock that is set to another period and back raises nothing again. */
const KEPT_MS = 100 * 86_400_000;

export const oncePerPeriod = (name: string, { id, endMs }: QuotaPeriod): Condition => ({
  key: `${name}:${id}`,
  endsAtMs: endMs + KEPT_MS,
});
