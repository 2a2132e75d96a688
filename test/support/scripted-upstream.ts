/**
 * A data service that answers each endpoint as a test says, takes a moment for it, and records the
 * requests.
 */
import { type Clock, sleep } from "../../src/model/clock.ts";
import {
  type Upstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamFailure,
  type UpstreamRequest,
} from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";

export type Answerer = (
  request: UpstreamRequest,
  nowMs: number,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

export interface Call extends UpstreamRequest {
  readonly atMs: number;
}

export interface ScriptedUpstream extends Upstream {
  readonly calls: Call[];
  /** Replaces how an endpoint answers. */
  on(endpoint: string, answer: Answerer): void;
  /**
   * Called before every answer. It throws to fail, or returns an answer to use instead. Undefined:
   * no trouble.
   */
  trouble: ((request: UpstreamRequest, nowMs: number) => UpstreamAnswer | undefined) | undefined;
  callsOf(endpoint: string): readonly Call[];
}

const LATENCY_MS = 50;

/**
 * Creates the service. Endpoints without an answerer answer 404. `info-batch` knows the accounts
 * given.
 */
export function createScriptedUpstream(
  clock: Clock,
  accounts: readonly User[] = [],
): ScriptedUpstream {
  const answerers = new Map<string, Answerer>([
    ["info-batch", (request) => ({ users: accounts.filter((user) => isAsked(request, user)) })],
  ]);
  const calls: Call[] = [];
  const upstream: ScriptedUpstream = {
    calls,
    trouble: undefined,
    on: (endpoint, answer) => void answerers.set(endpoint, answer),
    callsOf: (endpoint) => calls.filter((call) => call.endpoint === endpoint),
    async call(request) {
      calls.push({ ...request, atMs: clock.now() });
      await sleep(clock, LATENCY_MS);
      const instead = upstream.trouble?.(request, clock.now());
      if (instead !== undefined) return instead;
      const answer = answerers.get(request.endpoint);
      if (answer === undefined) throw new UpstreamError("not_found", "Not Found", 404);
      return answer(request, clock.now());
    },
  };
  return upstream;
}

const isAsked = ({ params }: UpstreamRequest, user: User): boolean => {
  const names = params["usernames"];
  const ids = params["user_ids"];
  if (Array.isArray(names)) return names.some((name) => name === user.username.toLowerCase());
  return Array.isArray(ids) && ids.includes(user.id);
};

const STATUS: Readonly<Record<UpstreamFailure, number | undefined>> = {
  bad_request: 400,
  unauthorized: 401,
  billing: 403,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
  transient: 500,
};

export const failure = (
  kind: UpstreamFailure,
  message = kind as string,
  status = STATUS[kind],
): UpstreamError => new UpstreamError(kind, message, status);
