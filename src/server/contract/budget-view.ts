/** What the requests of a period cost: `/api/v1/budget`, and the quota of `/api/v1/status`. */
import type { Priority } from "../../model/schedule.ts";

export interface QuotaView {
  /** Null while unknown. */
  readonly limit: number | null;
  readonly spent: number;
  /** Where scheduled polls stop: the limit without the reserve. Null while unknown. */
  readonly line: number | null;
  /** Requests of the whole period at the pace the schedules ask for; null while unknown. */
  readonly forecast: number | null;
  /**
   * The same, slowed down where the quota is short and never beyond the soft limit; null while
   * unknown.
   */
  readonly expected: number | null;
  /**
   * What happens where the schedules ask for more than the soft limit: polls are slowed down before
   * it, or stop at it.
   */
  readonly on_exhausted: "degrade" | "pause";
  /** How many times slower polls of a priority go; null while no daemon runs. */
  readonly stretch: Readonly<Record<Priority, number>> | null;
  /**
   * Requests of the period that the service counted beyond the ledger; below 0 when it counted
   * fewer.
   */
  readonly drift: number;
  readonly keys: readonly KeyView[];
  readonly period_start: string;
  readonly period_end: string;
}

export interface KeyView {
  /** As the configuration calls it, else a short hash of the key. */
  readonly name: string;
  /** Requests of this period. */
  readonly spent: number;
  /** Null while unknown. */
  readonly limit: number | null;
  /** Why it is suspended; empty while it is eligible. */
  readonly aside: string;
}

/** How the quota slows a watch down. */
export interface SlowedView {
  /**
   * How many times longer than its schedule says it waits between polls; null while it is not
   * polled at all, as the quota is spent.
   */
  readonly factor: number | null;
  /** When the quota period ends: it is no longer slowed down then, or sooner. */
  readonly until: string;
  /**
   * Also where another replica polls it: its schedule and its last poll say when. Null while its
   * poll is under way.
   */
  readonly next_poll_at: string | null;
}

export interface SpentView {
  readonly name: string;
  readonly spent: number;
  /** At the end of the period, at the current pace; null where nothing is planned or known. */
  readonly expected: number | null;
}

/** What the period has cost so far, and what it will. */
export interface BudgetView {
  readonly quota: QuotaView;
  readonly price: { readonly per_request: number; readonly currency: string } | null;
  /** The most expensive first; commands and housekeeping under names of their own. */
  readonly watches: readonly SpentView[];
  readonly endpoints: readonly Pick<SpentView, "name" | "spent">[];
  /** Hours of the period in which something was spent, in order. */
  readonly hours: readonly { readonly at: string; readonly spent: number }[];
}
