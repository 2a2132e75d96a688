/** Every request, reserved before it is sent, as a port: who pays, what is left, what was spent. */

export interface Reservation {
  readonly endpoint: string;
  /** Watch id the request is for, or a command's name; "" for housekeeping. */
  readonly watch: string;
  /** False for requests the service does not bill: they count for the rate only. */
  readonly billed: boolean;
  /** A page beyond the first of a scheduled poll. False unless set. */
  readonly isFurtherPage?: boolean;
  readonly atMs: number;
  /**
   * At most `count` requests under way or answered less than `intervalMs` ago, over all processes
   * on this state.
   */
  readonly rate: { readonly count: number; readonly intervalMs: number };
  /** An attempt without an answer frees its slot this long after it was reserved. */
  readonly holdMs: number;
  /** No grant beyond `max` billed requests since `sinceMs`, whichever key paid. */
  readonly limit?: SpendingLimit;
  /** Who may pay; the rate is each key's own. Undefined: one key, which has no name. */
  readonly keys?: readonly [LedgerKey, ...LedgerKey[]];
}

export interface SpendingLimit {
  readonly sinceMs: number;
  readonly max: number;
}

/** A key under its name in the ledger: never the key itself. */
export interface LedgerKey {
  readonly key: string;
  /** This key's own soft limit; undefined while it is unknown. */
  readonly limit?: SpendingLimit;
}

export type Grant =
  /** `key` names who pays: of the keys with room, the one with most left under its limit. */
  | { readonly kind: "granted"; readonly ledgerId: string; readonly key: string }
  | { readonly kind: "rate"; readonly retryAtMs: number }
  | { readonly kind: "quota"; readonly spent: number };

export interface LedgerLine {
  readonly watch: string;
  readonly endpoint: string;
  /** Name of the key that paid; "" in entries from before keys had names. */
  readonly key: string;
  readonly requests: number;
}

/**
 * A moment at which the service is asked what a key has left. Attempts count by the order in which
 * they were entered: the clock may be set in between.
 */
export interface AuditMark {
  /** The last attempt before it, whoever paid. */
  readonly lastId: number;
  /** Billed attempts of the key up to it that the service may not have counted yet. */
  readonly open: number;
}

/**
 * What the service said of a key: between asking and answering, attempts may be in its figure or
 * not.
 */
export interface AuditReading extends AuditMark {
  /** The last attempt before the answer. */
  readonly answeredId: number;
}

/**
 * Billed attempts between two readings: `certain` were answered well within; `possible` adds those
 * that failed or overlap its ends.
 */
export interface AuditCount {
  readonly certain: number;
  readonly possible: number;
}

/** Further pages that were entered after an entry of the ledger, whoever asked for them. */
export interface FurtherPageCount {
  readonly pages: number;
  /** The last entry by now: count on from here. */
  readonly lastId: number;
}

export interface Ledger {
  /** Durable before it returns `granted`. */
  reserve(reservation: Reservation): Promise<Grant>;
  /**
   * `status` is the HTTP status, or null when no answer arrived ("unknown"). Counts for this store
   * at once; it is durable, and seen by other processes, with whatever is written next, or a few
   * milliseconds later. Lost in a crash, it keeps its slot a while longer.
   */
  settle(ledgerId: string, atMs: number, status: number | null): Promise<void>;
  /** Billed attempts since a time. Reads a few rows an hour, however many watches there are. */
  spentByKey(sinceMs: number): Promise<ReadonlyMap<string, number>>;
  /**
   * The same by watch, endpoint and key, the largest first. Reads a row for each of these in each
   * hour.
   */
  spentSince(
    sinceMs: number,
  ): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }>;
  /** Billed attempts since a time, hour by hour in order; hours without any are left out. */
  spentByHour(
    sinceMs: number,
  ): Promise<readonly { readonly hourMs: number; readonly requests: number }[]>;
  /** Undefined: it counts from now on, and says from where. Reads the entries since then. */
  countFurtherPages(afterId: number | undefined): Promise<FurtherPageCount>;
  /**
   * `marginMs`: an attempt that was answered so short a time ago may not be counted yet, and one
   * under way may be.
   */
  auditMark(key: string, atMs: number, marginMs: number): Promise<AuditMark>;
  /** What the service's count of a key between two readings must lie between. */
  auditSpan(key: string, from: AuditReading, to: AuditReading): Promise<AuditCount>;
}
