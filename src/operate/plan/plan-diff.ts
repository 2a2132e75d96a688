/**
 * Compares two plans: what each watch costs before and after, and which watches are added or
 * removed.
 */
import type { MemoryChange } from "../changes/memory-changes.ts";
import type { PlanView, PlanWatchView } from "./plan-view.ts";
import { round, roundMoney } from "./plan-changes.ts";

export interface DiffLine {
  readonly id: string;
  readonly state: "added" | "removed" | "changed" | "same";
  /** The number of requests per month; null if the watch does not exist in this plan. */
  readonly before: number | null;
  readonly after: number | null;
  readonly difference: number;
  /** The usual delay in seconds; null if nothing is polled. */
  readonly delay_before: number | null;
  readonly delay_after: number | null;
}

export interface PlanDiffView {
  readonly total: {
    readonly before: number;
    readonly after: number;
    readonly difference: number;
    /**
     * The difference in money, with each plan at its own price; null if the new plan has no price,
     * or a price in another currency.
     */
    readonly cost_difference: number | null;
  };
  /** The watches, with the largest changes first and unchanged watches last. */
  readonly watches: readonly DiffLine[];
  /** The effects of the change on the memory of edited watches. */
  readonly memory: readonly MemoryChange[];
  /** A sentence for each sink whose waiting deliveries would no longer be sent. */
  readonly stranded: readonly string[];
  /** The quota of the new plan. */
  readonly quota: PlanView["quota"];
  readonly over_budget: boolean;
  readonly price: PlanView["price"];
}

export function diffPlans(
  before: PlanView,
  after: PlanView,
  { memory, stranded }: Pick<PlanDiffView, "memory" | "stranded">,
): PlanDiffView {
  const old = new Map(before.watches.map((watch) => [watch.id, watch]));
  const next = new Map(after.watches.map((watch) => [watch.id, watch]));
  const ids = [...new Set([...old.keys(), ...next.keys()])];
  const difference = round(after.total.requests_per_month - before.total.requests_per_month);
  return {
    total: {
      before: before.total.requests_per_month,
      after: after.total.requests_per_month,
      difference,
      cost_difference: costDifference(before, after),
    },
    watches: ids.map((id) => lineOf(id, old.get(id), next.get(id))).sort(byChange),
    memory,
    stranded,
    quota: after.quota,
    over_budget: after.over_budget,
    price: after.price,
  };
}

function costDifference(before: PlanView, { price, total }: PlanView): number | null {
  if (price === null || (before.price !== null && before.price.currency !== price.currency))
    return null;
  const { per_request: old } = before.price ?? price;
  return roundMoney(
    total.requests_per_month * price.per_request - before.total.requests_per_month * old,
  );
}

function lineOf(
  id: string,
  before: PlanWatchView | undefined,
  after: PlanWatchView | undefined,
): DiffLine {
  const difference = round((after?.requests_per_month ?? 0) - (before?.requests_per_month ?? 0));
  const line = {
    id,
    before: before?.requests_per_month ?? null,
    after: after?.requests_per_month ?? null,
    difference,
    delay_before: before?.delay_seconds?.p50 ?? null,
    delay_after: after?.delay_seconds?.p50 ?? null,
  };
  if (before === undefined) return { ...line, state: "added" };
  if (after === undefined) return { ...line, state: "removed" };
  return {
    ...line,
    state: difference === 0 && line.delay_before === line.delay_after ? "same" : "changed",
  };
}

function byChange(a: DiffLine, b: DiffLine): number {
  if ((a.state === "same") !== (b.state === "same")) return a.state === "same" ? 1 : -1;
  return Math.abs(b.difference) - Math.abs(a.difference);
}
