/**
 * What a request reserves in the ledger before it is sent: who may pay for it, and up to which
 * limit.
 */
import { type Purpose, spendingLimit } from "../budget/spending-limit.ts";
import { quotaPeriod } from "../budget/quota-period.ts";
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { LedgerKey, Reservation } from "../model/ledger.ts";
import type { Priority } from "../model/schedule.ts";
import type { UpstreamRequest } from "../model/upstream.ts";

export interface GateRequest extends UpstreamRequest {
  /** Whose backoff it shares: a source's fingerprint. */
  readonly source: string;
  readonly watch: string;
  readonly priority: Priority;
  readonly purpose: Purpose;
  /** The only key that may pay, by its name: to ask about that key. */
  readonly onlyKey?: string | undefined;
  /** False where the service does not bill: /key-usage-info. */
  readonly billed?: boolean;
  /**
   * Its pages are of use only together: further ones are not held back, because the first would
   * have to be paid for again.
   */
  readonly isWhole?: true;
  /** The first page of a walk that does not begin at the top. */
  readonly isWalkStart?: true;
  /** Of a batch: one entry that the service refuses is quarantined, and the answer says so. */
  readonly isSplit?: true;
}

export interface GateLimits {
  readonly rate: { readonly count: number; readonly intervalMs: number };
  readonly timeoutMs: number;
  readonly quota: {
    readonly monthly: number | undefined;
    /** Share kept back from scheduled polls, of every key's own limit. */
    readonly reserve: number;
    /** Of `monthly`, where that holds what keys have spent that are gone. */
    readonly reserveOfAll?: number;
    readonly resetDay: number;
    readonly timezone: string;
  };
}

export interface PayingKey {
  readonly name: string;
  /** Requests a period of this key alone; undefined while unknown, and where it is the only one. */
  readonly limit: number | undefined;
}

/** Those that may pay now; never none. */
export type EligibleKeys = readonly [PayingKey, ...PayingKey[]];

/**
 * Who may pay at this moment; `othersAtMs`: when the first of those may that wait after a 429.
 * `failedWith`: only where no other may.
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

/** Baselines and commands read as deep as they need. */
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
