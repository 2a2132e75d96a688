/**
 * The keys of the sandbox: which keys are valid, how many requests per second each may send, and
 * how much of its quota is left. All times are in the sandbox's own time.
 */
import { ServiceError } from "./service-error.ts";

export interface KeyOptions {
  /** Requests per calendar month in UTC. A new key without a quota gets the free allowance. */
  readonly quota?: number;
  /**
   * When the subscription ends, in ISO 8601. From then on the service answers that the key is not
   * paid.
   */
  readonly expires?: string;
}

interface KeyState {
  quota: number;
  /** Whether the quota is renewed each month. The free allowance is granted only once. */
  isMonthly: boolean;
  expiresMs: number;
  month: string;
  used: number;
  usedEver: number;
  second: number;
  inSecond: number;
}

export interface KeyUsage {
  readonly key_requests: number;
  readonly remaining_requests: number;
  readonly total_requests: number;
  readonly valid_until: string;
}

/**
 * The limit per second, which is the same for every plan (api-v3.md, Limits). The service counts in
 * seconds of the clock, not in a sliding window (docs/service.md section 3).
 */
const REQUESTS_PER_SECOND = 20;
/** The number of requests that a new account gets once for free (api-v3.md, Authentication 9). */
const FREE_REQUESTS = 100;
const YEAR_MS = 365 * 86_400_000;

export type KeyRing = ReturnType<typeof createKeyRing>;

/** Creates the keys of a sandbox with their counters. */
export function createKeyRing(startMs: number) {
  const keys = new Map<string, KeyState>();

  /** Creates a key, or changes the given options of an existing key. */
  function put(key: string, options: KeyOptions): void {
    const state = keys.get(key) ?? newKey(startMs + YEAR_MS);
    keys.set(key, state);
    if (options.quota !== undefined)
      Object.assign(state, { quota: options.quota, isMonthly: true });
    if (options.expires !== undefined) state.expiresMs = Date.parse(options.expires);
  }

  /**
   * Replaces a key by a new one. The old key is refused from now on; the new key continues with its
   * quota and counters. Returns false if the old key does not exist.
   */
  function replace(oldKey: string, key: string): boolean {
    const state = keys.get(oldKey);
    if (state === undefined || !keys.delete(oldKey)) return false;
    keys.set(key, state);
    return true;
  }

  /**
   * Returns the key in the headers. This check comes before all others. @throws ServiceError 401 if
   * there is no key, or if it is not valid
   */
  function authenticate(rawHeaders: readonly string[], nowMs: number): string {
    const key = exactHeader(rawHeaders, "ApiKey");
    if (key === undefined) throw new ServiceError(401, "missing key in request header");
    const state = keys.get(key);
    if (state === undefined) throw new ServiceError(401, "invalid api key");
    turnMonth(state, nowMs);
    return key;
  }

  /**
   * Counts a request towards the limit per second. Every request with a valid key counts, whatever
   * its answer. @throws ServiceError 429 from the 21st request of a second on
   */
  function countSecond(key: string, nowMs: number): void {
    const state = stateOf(key);
    const second = Math.floor(nowMs / 1_000);
    state.inSecond = state.second === second ? state.inSecond + 1 : 1;
    state.second = second;
    if (state.inSecond > REQUESTS_PER_SECOND) throw new ServiceError(429, "Too Many Requests");
  }

  /**
   * Checks the subscription and the quota of a key. @throws ServiceError 403 if the subscription
   * has ended or the quota is used up
   */
  function checkPaid(key: string, nowMs: number): void {
    const state = stateOf(key);
    if (nowMs >= state.expiresMs) throw new ServiceError(403, "api key not payed");
    if (state.used >= state.quota) throw new ServiceError(403, "request limit exceeded");
  }

  function bill(key: string, cost: number): void {
    const state = keys.get(key);
    if (state === undefined) return;
    state.used += cost;
    state.usedEver += cost;
  }

  function usage(key: string): KeyUsage {
    const state = stateOf(key);
    return {
      key_requests: state.usedEver,
      remaining_requests: Math.max(0, state.quota - state.used),
      total_requests: state.quota,
      valid_until: new Date(state.expiresMs).toISOString(),
    };
  }

  function stateOf(key: string): KeyState {
    const state = keys.get(key);
    if (state === undefined) throw new ServiceError(401, "invalid api key");
    return state;
  }

  return {
    put,
    replace,
    remove: (key: string): boolean => keys.delete(key),
    authenticate,
    countSecond,
    checkPaid,
    bill,
    usage,
  };
}

const newKey = (expiresMs: number): KeyState => ({
  quota: FREE_REQUESTS,
  isMonthly: false,
  expiresMs,
  month: "",
  used: 0,
  usedEver: 0,
  second: -1,
  inSecond: 0,
});

function turnMonth(state: KeyState, nowMs: number): void {
  const month = new Date(nowMs).toISOString().slice(0, 7);
  if (state.month === month || !state.isMonthly) return;
  state.month = month;
  state.used = 0;
}

/**
 * Finds a header with exactly this spelling, because the service accepts no other (api-v3.md,
 * Authentication 2). Only the raw headers keep the spelling; Node converts all others to lower
 * case.
 */
function exactHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i] === name) return rawHeaders[i + 1];
  return undefined;
}
