/**
 * The keys of the sandbox: which are valid, how often each may ask, and how much quota is left. All
 * times are the sandbox's own.
 */
import { ServiceError } from "./service-error.ts";

export interface KeyOptions {
  /** Requests a calendar month, UTC. A new key without one has the free allowance. */
  readonly quota?: number;
  /** ISO 8601. From this moment on the subscription counts as not paid. */
  readonly expires?: string;
}

interface KeyState {
  quota: number;
  /** Whether the quota is renewed each month. The free allowance is given only once. */
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
 * The limit per second, the same on every plan (api-v3.md, Limits). The service counts in fixed
 * seconds (docs/service.md section 3).
 */
const REQUESTS_PER_SECOND = 20;
/** Requests that a new account has once, for free (api-v3.md, Authentication 9). */
const FREE_REQUESTS = 100;
const YEAR_MS = 365 * 86_400_000;

export type KeyRing = ReturnType<typeof createKeyRing>;

/** Creates the set of keys and their counters. */
export function createKeyRing(startMs: number) {
  const keys = new Map<string, KeyState>();

  /** Creates a key, or changes the given options of an existing one. */
  function put(key: string, options: KeyOptions): void {
    const state = keys.get(key) ?? newKey(startMs + YEAR_MS);
    keys.set(key, state);
    if (options.quota !== undefined)
      Object.assign(state, { quota: options.quota, isMonthly: true });
    if (options.expires !== undefined) state.expiresMs = Date.parse(options.expires);
  }

  /**
   * Replaces an account's key: the old one is refused from now on, and the new one inherits what
   * was used. Returns false if there is no such key.
   */
  function replace(oldKey: string, key: string): boolean {
    const state = keys.get(oldKey);
    if (state === undefined || !keys.delete(oldKey)) return false;
    keys.set(key, state);
    return true;
  }

  /**
   * Returns the key that the headers carry. The key is checked before anything else. @throws
   * ServiceError 401
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
   * Counts a request; every authenticated one counts. @throws ServiceError 429 for the 21st request
   * of one second
   */
  function countSecond(key: string, nowMs: number): void {
    const state = stateOf(key);
    const second = Math.floor(nowMs / 1_000);
    state.inSecond = state.second === second ? state.inSecond + 1 : 1;
    state.second = second;
    if (state.inSecond > REQUESTS_PER_SECOND) throw new ServiceError(429, "Too Many Requests");
  }

  /**
   * Checks that the key may still ask. @throws ServiceError 403 if the subscription has ended or
   * the quota is used up
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
 * Finds a header by its exact spelling, because only that spelling authenticates (api-v3.md,
 * Authentication 2). Raw headers are needed: Node lowercases the others.
 */
function exactHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i] === name) return rawHeaders[i + 1];
  return undefined;
}
