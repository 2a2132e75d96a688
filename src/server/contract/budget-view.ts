/**
 * What the requests of a period cost: the JSON of `/api/v1/budget`, and the quota in
 * `/api/v1/status`.
 */
import type { Priority } from "../../model/schedule.ts";

export interface QuotaView {
  /** Null while unknown. */
  readonly limit: number | null;
  readonly spent: number;
  /** Where scheduled polls stop: the limit without the reserve. Null if unknown. */
  readonly line: number | null;
  /** Requests of the whole period at the pace that the schedules ask for; null if unknown. */
  readonly forecast: number | null;
  /**
   * Requests of the whole period with the slow-down of a short quota, at most the soft limit; null
   * if unknown.
   */
  readonly expected: number | null;
  /**
   * What happens if the schedules ask for more than the soft limit: polls are slowed down before it
   * (`degrade`), or stop at it (`pause`).
   */
  readonly on_exhausted: "degrade" | "pause";
  /** How many times slower polls of each priority are; null if no daemon runs. */
  readonly stretch: Readonly<Record<Priority, number>> | null;
  /**
   * Requests of the period that the service counted beyond the ledger; negative if it counted
   * fewer.
   */
  readonly drift: number;
  readonly keys: readonly KeyView[];
  readonly period_start: string;
  readonly period_end: string;
}

export interface KeyView {
  /** The name of the key in the configuration, or else a short hash of the key. */
  readonly name: string;
  /** Requests of this period. */
  readonly spent: number;
  /** Null if unknown. */
  readonly limit: number | null;
  /** Why the key is suspended; empty while it may pay. */
  readonly aside: string;
}

/** How the quota slows a watch down. */
export interface SlowedView {
  /**
   * How many times longer than scheduled the watch waits between polls; null if it is not polled at
   * all because the quota is spent.
   */
  readonly factor: number | null;
  /** The end of the quota period, when the slow-down ends at the latest. */
  readonly until: string;
  /**
   * When the watch is polled next. If another replica polls it, this is computed from its schedule
   * and its last poll. Null while a poll is under way.
   */
  readonly next_poll_at: string | null;
}

export interface SpentView {
  readonly name: string;
  readonly spent: number;
  /**
   * Requests until the end of the period at the current pace; null if nothing is planned or known.
   */
  readonly expected: number | null;
}

/** What the period has cost so far, and what it will cost. */
export interface BudgetView {
  readonly quota: QuotaView;
  readonly price: { readonly per_request: number; readonly currency: string } | null;
  /** The most expensive watch first. Commands and housekeeping have lines of their own. */
  readonly watches: readonly SpentView[];
  readonly endpoints: readonly Pick<SpentView, "name" | "spent">[];
  /** The hours of the period in which something was spent, in order. */
  readonly hours: readonly { readonly at: string; readonly spent: number }[];
}
