/** Every request, reserved before it is sent, as a port: who pays, what is left, what was spent. */

export interface Reservation {
  readonly endpoint: string;
  /** Watch id the request is for, or a command's name; "" for housekeeping. */
  readonly watch: string;
  /** False for requests the service does not bill: they count for the rate only. */
  readonly billed: boolean;
  readonly atMs: number;
  /** At most `count` requests under way or answered less than `intervalMs` ago, over all processes on this state. */
  readonly rate: { readonly count: number; readonly intervalMs: number };
  /** An attempt without an answer frees its slot this long after it was reserved. */
  readonly holdMs: number;
  /** No grant beyond `max` billed requests since `sinceMs`, whichever key paid. */
  readonly line?: SpendingLine;
  /** Who may pay; the rate is each key's own. Undefined: one key, which has no name. */
  readonly keys?: readonly [KeyOffer, ...KeyOffer[]];
}

export interface SpendingLine {
  readonly sinceMs: number;
  readonly max: number;
}

/** A key under its name in the ledger: never the key itself. */
export interface KeyOffer {
  readonly key: string;
  /** This key's own line; undefined while nobody knows it. */
  readonly line?: SpendingLine;
}

export type Grant =
  /** `key` names who pays: of the keys with room, the one with most left under its line. */
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

/** Between two moments at which the service said what a key has left: each known as asked and answered. */
export interface AuditSpan {
  readonly key: string;
  readonly from: { readonly askedAtMs: number; readonly answeredAtMs: number };
  readonly to: { readonly askedAtMs: number; readonly answeredAtMs: number };
  /** An attempt this close to one of the moments may be counted on either side of it. */
  readonly marginMs: number;
}

/** Billed attempts of a span: `certain` were answered well within it; `possible` adds those that failed or overlap its ends. */
export interface AuditCount {
  readonly certain: number;
  readonly possible: number;
}

export interface Ledger {
  /** Durable before it returns `granted`. */
  reserve(reservation: Reservation): Promise<Grant>;
  /**
   * `status` is the HTTP status, or null when no answer arrived ("unknown"). Counts for this store at once; it is durable, and seen by other
   * processes, with whatever is written next, or a few milliseconds later. Lost in a crash, it keeps its slot a while longer.
   */
  settle(ledgerId: string, atMs: number, status: number | null): Promise<void>;
  /** Billed attempts since a time, by watch, endpoint and key, the largest first. */
  spentSince(sinceMs: number): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }>;
  /** Billed attempts since a time, hour by hour in order; hours without any are left out. */
  spentByHour(sinceMs: number): Promise<readonly { readonly hourMs: number; readonly requests: number }[]>;
  /** What a key's own count of the span must lie between. */
  auditSpan(span: AuditSpan): Promise<AuditCount>;
}
