/**
 * The ledger as a port: every request is reserved in it before it is sent. It knows which key pays,
 * what is left and what was spent.
 */

export interface Reservation {
  readonly endpoint: string;
  /** The id of the watch that the request is for, or a command's name; "" for housekeeping. */
  readonly watch: string;
  /** False for requests that the service does not bill. They count only against the rate. */
  readonly billed: boolean;
  /** Whether it is a page beyond the first one of a scheduled poll. False by default. */
  readonly isFurtherPage?: boolean;
  readonly atMs: number;
  /**
   * At most `count` requests may be under way or answered less than `intervalMs` ago, over all
   * processes on this state.
   */
  readonly rate: { readonly count: number; readonly intervalMs: number };
  /** An attempt without an answer frees its slot this long after it was reserved. */
  readonly holdMs: number;
  /** No request is granted beyond `max` billed ones since `sinceMs`, whichever key paid. */
  readonly limit?: SpendingLimit;
  /**
   * The keys that may pay. The rate applies to each key. Undefined if there is a single key, which
   * has no name.
   */
  readonly keys?: readonly [LedgerKey, ...LedgerKey[]];
}

export interface SpendingLimit {
  readonly sinceMs: number;
  readonly max: number;
}

/** A key by its name in the ledger, never the key itself. */
export interface LedgerKey {
  readonly key: string;
  /** This key's own soft limit; undefined if it is unknown. */
  readonly limit?: SpendingLimit;
}

export type Grant =
  /**
   * `key` is the name of the paying key: of the keys with room, the one with the most left under
   * its limit.
   */
  | { readonly kind: "granted"; readonly ledgerId: string; readonly key: string }
  | { readonly kind: "rate"; readonly retryAtMs: number }
  | { readonly kind: "quota"; readonly spent: number };

export interface LedgerLine {
  readonly watch: string;
  readonly endpoint: string;
  /** The name of the key that paid; "" in entries from before keys had names. */
  readonly key: string;
  readonly requests: number;
}

/**
 * The moment at which the service is asked what a key has left. Attempts count in the order in
 * which they were entered, because the clock may be set in between.
 */
export interface AuditMark {
  /** The last attempt before this moment, whichever key paid. */
  readonly lastId: number;
  /**
   * The number of the key's billed attempts up to this moment that the service may not have counted
   * yet.
   */
  readonly open: number;
}

/**
 * The moments at which the service was asked about a key and answered. Attempts between the two may
 * or may not be included in the answer.
 */
export interface AuditReading extends AuditMark {
  /** The last attempt before the answer. */
  readonly answeredId: number;
}

/**
 * The number of billed attempts between two readings. `certain` counts those that were answered
 * well within that time; `possible` also those that failed, or that were under way at either
 * reading.
 */
export interface AuditCount {
  readonly certain: number;
  readonly possible: number;
}

/** The further pages that were entered after an entry of the ledger, for any watch. */
export interface FurtherPageCount {
  readonly pages: number;
  /** The last entry so far, from which to continue counting. */
  readonly lastId: number;
}

export interface Ledger {
  /** Reserves a request. The reservation is durable before this returns `granted`. */
  reserve(reservation: Reservation): Promise<Grant>;
  /**
   * Records the end of a request. `status` is the HTTP status, or null if no answer arrived
   * ("unknown"). It counts in this process at once. It becomes durable, and visible to other
   * processes, with the next write, or a few milliseconds later. If it is lost in a crash, the
   * request keeps its slot a while longer.
   */
  settle(ledgerId: string, atMs: number, status: number | null): Promise<void>;
  /**
   * Returns the billed attempts since a time. Reads a few rows per hour, however many watches there
   * are.
   */
  spentByKey(sinceMs: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the billed attempts by watch, endpoint and key, the largest number first. Reads a row
   * for each of these in each hour.
   */
  spentSince(
    sinceMs: number,
  ): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }>;
  /** Returns the billed attempts since a time, by hour in order. Hours without any are left out. */
  spentByHour(
    sinceMs: number,
  ): Promise<readonly { readonly hourMs: number; readonly requests: number }[]>;
  /**
   * Counts further pages. If `afterId` is undefined, counting starts now, and the result says from
   * where. Reads the entries since then.
   */
  countFurtherPages(afterId: number | undefined): Promise<FurtherPageCount>;
  /**
   * Returns the mark of a key at a moment. Attempts that were answered less than `marginMs` before
   * may not be counted by the service yet, and one that is still under way may be.
   */
  auditMark(key: string, atMs: number, marginMs: number): Promise<AuditMark>;
  /** Returns the bounds for the service's count of a key between two readings. */
  auditSpan(key: string, from: AuditReading, to: AuditReading): Promise<AuditCount>;
}
