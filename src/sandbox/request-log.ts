/**
 * Logs the requests that the sandbox received, for tests that check costs: the number of billed
 * requests, the largest number within one second, and the latest requests.
 */
import type { JsonObject } from "../model/json.ts";

export interface LoggedRequest extends JsonObject {
  readonly at: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** The name of the endpoint; "" if the path is unknown. */
  readonly endpoint: string;
  readonly status: number;
  readonly billed: number;
  /** The query string or the body, as the client sent it. */
  readonly input: string;
}

const KEPT = 500;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** Creates a log. It counts from its creation or its last reset on. */
export function createRequestLog() {
  const state = {
    total: 0,
    billed: 0,
    busiest: 0,
    byEndpoint: {} as Record<string, number>,
    byKey: {} as Record<string, number>,
    byStatus: {} as Record<string, number>,
  };
  const last: LoggedRequest[] = [];
  const arrivals = new Map<string, number[]>();

  /**
   * Counts a request towards the largest number of requests that a key sent within one second. The
   * second is a sliding window that ends now.
   */
  function arrive(key: string, nowMs: number): void {
    const recent = (arrivals.get(key) ?? []).filter((atMs) => atMs > nowMs - 1_000);
    recent.push(nowMs);
    arrivals.set(key, recent);
    state.busiest = Math.max(state.busiest, recent.length);
  }

  function record(request: LoggedRequest): void {
    state.total += 1;
    state.billed += request.billed;
    add(state.byStatus, String(request.status), 1);
    add(state.byEndpoint, request.endpoint, request.billed);
    add(state.byKey, request.key, request.billed);
    last.push(request);
    if (last.length > KEPT) last.shift();
  }

  function summary(): JsonObject {
    return {
      total: state.total,
      billed: state.billed,
      billed_by_endpoint: { ...state.byEndpoint },
      billed_by_key: { ...state.byKey },
      by_status: { ...state.byStatus },
      max_in_one_second: state.busiest,
      requests: [...last],
    };
  }

  function reset(): void {
    Object.assign(state, {
      total: 0,
      billed: 0,
      busiest: 0,
      byEndpoint: {},
      byKey: {},
      byStatus: {},
    });
    last.length = 0;
  }

  return { arrive, record, summary, reset };
}

function add(counts: Record<string, number>, name: string, count: number): void {
  if (name !== "" && count > 0) counts[name] = (counts[name] ?? 0) + count;
}
