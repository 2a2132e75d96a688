/**
 * Computes what a request reserves in the ledger before it is sent: which keys may pay for it, and
 * up to which limit.
 */
import { type Purpose, spendingLimit } from "../budget/spending-limit.ts";
import { quotaPeriod } from "../budget/quota-period.ts";
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { LedgerKey, Reservation } from "../model/ledger.ts";
import type { Priority } from "../model/schedule.ts";
import type { UpstreamRequest } from "../model/upstream.ts";

export interface GateRequest extends UpstreamRequest {
  /** The fingerprint of the source. After a failure, all requests of a source share one backoff. */
  readonly source: string;
  readonly watch: string;
  readonly priority: Priority;
  readonly purpose: Purpose;
  /** The name of the only key that may pay, for a request that asks about that key. */
  readonly onlyKey?: string | undefined;
  /** False if the service does not bill the request (/key-usage-info). Default: true. */
  readonly billed?: boolean;
  /**
   * Set if the pages of a read are useful only together. The limit on further pages then does not
   * hold them back, because the first page would have to be paid for again.
   */
  readonly isWhole?: true;
  /**
   * Set on the first page of a read that continues with a cursor instead of beginning at the top of
   * the list.
   */
  readonly isWalkStart?: true;
  /**
   * Set on a batch that may be split if the service refuses it. The entry that causes the refusal
   * is quarantined, and the answer names it.
   */
  readonly isSplit?: true;
}

export interface GateLimits {
  readonly rate: { readonly count: number; readonly intervalMs: number };
  readonly timeoutMs: number;
  readonly quota: {
    readonly monthly: number | undefined;
    /** The share of every key's own limit that scheduled polls may not use. */
    readonly reserve: number;
    /**
     * The share of `monthly` that scheduled polls may not use. Set if `monthly` includes requests
     * that removed keys have spent. Default: `reserve`.
     */
    readonly reserveOfAll?: number;
    readonly resetDay: number;
    readonly timezone: string;
  };
}

export interface PayingKey {
  readonly name: string;
  /**
   * The key's own limit in requests per quota period; undefined if it is unknown or if there is
   * only one key.
   */
  readonly limit: number | undefined;
}

/** The keys that may pay now, at least one. */
export type EligibleKeys = readonly [PayingKey, ...PayingKey[]];

/**
 * Returns the keys that may pay now. A key that waits after a 429 is left out unless all keys wait,
 * and a key in `failedWith` is left out unless no other key may pay. `othersAtMs` is when the first
 * of the waiting keys may pay again; absent if none waits or all wait.
 */
export function eligibleKeysAt(
  eligible: EligibleKeys | undefined,
  pacer: UpstreamPacer,
  nowMs: number,
  failedWith: ReadonlyMap<string, unknown>,
): { readonly eligible: EligibleKeys | undefined; readonly othersAtMs?: number } {
  const isWaiting = ({ name }: PayingKey): boolean => pacer.paysAgainAt(name) > nowMs;
  const free = eligible?.filter((key) => !isWaiting(key)) ?? [];
  const untried = free.filter(({ name }) => !failedWith.has(name));
  const [first, ...others] = untried.length === 0 ? free : untried;
  const waiting = eligible?.filter(isWaiting) ?? [];
  if (first === undefined) return { eligible };
  const waits = waiting.map(({ name }) => pacer.paysAgainAt(name));
  return {
    eligible: [first, ...others],
    ...(waits.length === 0 ? {} : { othersAtMs: Math.min(...waits) }),
  };
}

/**
 * Whether a request is for a further page of a scheduled poll. Baselines and commands do not count,
 * because they may read as many pages as they need.
 */
export const isFurtherPage = ({ purpose, cursor, billed }: GateRequest): boolean =>
  purpose === "poll" && cursor !== undefined && billed !== false;

export function reservationOf(
  request: GateRequest,
  atMs: number,
  limits: GateLimits,
  eligible: EligibleKeys | undefined,
): Reservation {
  const { quota } = limits;
  const sinceMs = quotaPeriod(atMs, quota).startMs;
  const limitOf = (monthly: number | undefined, reserve = quota.reserve) => {
    const max =
      request.billed === false
        ? undefined
        : spendingLimit({ monthly, reserve, purpose: request.purpose });
    return max === undefined ? {} : { limit: { sinceMs, max } };
  };
  const keyOf = ({ name, limit }: PayingKey): LedgerKey => ({ key: name, ...limitOf(limit) });
  const keys =
    request.onlyKey === undefined
      ? eligible
      : ([{ name: request.onlyKey, limit: undefined }] as const);
  return {
    endpoint: request.endpoint,
    watch: request.watch,
    billed: request.billed ?? true,
    ...(isFurtherPage(request) ? { isFurtherPage: true } : {}),
    atMs,
    rate: limits.rate,
    holdMs: limits.timeoutMs + 1_000,
    ...limitOf(quota.monthly, quota.reserveOfAll),
    ...(keys === undefined ? {} : { keys: [keyOf(keys[0]), ...keys.slice(1).map(keyOf)] }),
  };
}
