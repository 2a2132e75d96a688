/**
 * The port of the ledger, in which every request is reserved before it is sent. The ledger records
 * which key each request is charged to, and limits how many requests are sent.
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
   * The rate limit: at most `count` requests of all processes on this state may be under way or
   * answered less than `intervalMs` ago.
   */
  readonly rate: { readonly count: number; readonly intervalMs: number };
  /** An attempt without an answer frees its slot this long after it was reserved. */
  readonly holdMs: number;
  /**
   * The spending limit: at most `max` billed requests since `sinceMs`, whichever keys they are
   * charged to.
   */
  readonly limit?: SpendingLimit;
  /**
   * The keys that the request may be charged to. The rate limit applies to each key. Undefined if
   * there is a single key, which has no name.
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
   * The request may be sent. `key` is the name of the key that it is charged to: among the keys
   * with room, the one with the most requests left under its limit.
   */
  | { readonly kind: "granted"; readonly ledgerId: string; readonly key: string }
  | { readonly kind: "rate"; readonly retryAtMs: number }
  | { readonly kind: "quota"; readonly spent: number };

export interface LedgerLine {
  readonly watch: string;
  readonly endpoint: string;
  /**
   * The name of the key that the requests were charged to; "" in entries from before keys had
   * names.
   */
  readonly key: string;
  readonly requests: number;
}

/**
 * The state of the ledger at the moment when the service is asked how many requests a key has left.
 * Attempts are ordered by their entry in the ledger, because the clock may be set in between.
 */
export interface AuditMark {
  /** The id of the last attempt before this moment, with any key. */
  readonly lastId: number;
  /**
   * The number of the key's billed attempts up to this moment that the service may not have counted
   * yet.
   */
  readonly open: number;
}

/**
 * The state of the ledger when the service was asked about a key and when it answered. The answer
 * may or may not include attempts between the two.
 */
export interface AuditReading extends AuditMark {
  /** The id of the last attempt before the answer. */
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
  /** The id of the last entry so far, from which the next count continues. */
  readonly lastId: number;
}

export interface Ledger {
  /** Reserves a request. The reservation is durable before this returns `granted`. */
  reserve(reservation: Reservation): Promise<Grant>;
  /**
   * Records the end of a request. `status` is the HTTP status, or null if no answer arrived
   * ("unknown"). This process uses the end immediately; it becomes durable and visible to other
   * processes with the next write, at most a few ms later. If a crash loses the end, the request
   * occupies its slot until `holdMs` has passed.
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
  /**
   * Returns the billed attempts by watch in the hours from `fromHour` until before `toHour`, which
   * are whole hours since the epoch. Reads a row for each watch and endpoint in each hour.
   */
  spentByWatch(fromHour: number, toHour: number): Promise<ReadonlyMap<string, number>>;
  /** Returns the billed attempts since a time, by hour in order. Hours without any are left out. */
  spentByHour(
    sinceMs: number,
  ): Promise<readonly { readonly hourMs: number; readonly requests: number }[]>;
  /**
   * Counts the further pages entered after `afterId`. If it is undefined, nothing is counted, and
   * the result says where the next count starts.
   */
  countFurtherPages(afterId: number | undefined): Promise<FurtherPageCount>;
  /**
   * Returns the state of the ledger for a key. `open` includes attempts answered less than
   * `marginMs` before `atMs`, because the service may not have counted them yet, and attempts under
   * way.
   */
  auditMark(key: string, atMs: number, marginMs: number): Promise<AuditMark>;
  /** Returns the bounds for the service's count of a key between two readings. */
  auditSpan(key: string, from: AuditReading, to: AuditReading): Promise<AuditCount>;
}
