/**
 * The bundled sandbox in this process on the caller's clock, used through the daemon's own client,
 * without a socket. Owns how a request reaches it. Its control functions are called as its control
 * API would.
 */
import { createUpstream } from "../../src/api/upstream.ts";
import { type Clock, sleep } from "../../src/model/clock.ts";
import type { Http } from "../../src/model/http.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { answerControl } from "../../src/sandbox/control.ts";
import { createFaults } from "../../src/sandbox/faults.ts";
import { createKeyRing } from "../../src/sandbox/calls/keys.ts";
import { createRequestLog } from "../../src/sandbox/request-log.ts";
import { createSandboxClock } from "../../src/sandbox/calls/sandbox-clock.ts";
import { answerRequest, type ServiceDeps } from "../../src/sandbox/service.ts";
import type { PostingRates } from "../../src/sandbox/world/people/accounts.ts";
import { createWorld, type World } from "../../src/sandbox/world/world.ts";

export interface SandboxService {
  readonly upstream: Upstream;
  readonly world: World;
  /** Sends an order to the sandbox's control API. @throws when it refuses. */
  control(method: string, path: string, body?: JsonObject): JsonObject;
  /** Returns the billed requests so far. */
  billed(): { readonly total: number; readonly byEndpoint: Readonly<Record<string, number>> };
}

export interface SandboxServiceOptions {
  readonly seed?: number;
  readonly accounts?: number;
  readonly rates?: PostingRates;
  /** The quota in requests per month; a million by default. */
  readonly quota?: number;
  /** The time from a request to its answer. */
  readonly latencyMs?: number;
}

const LATENCY_MS = 20;

/** Creates a world that starts at the clock's present. */
export function createSandboxService(
  base: Clock,
  options: SandboxServiceOptions = {},
): SandboxService {
  const service = createService(base, options);
  const control = (method: string, path: string, body?: JsonObject): JsonObject => {
    const url = new URL(`http://sandbox/_sandbox/${path}`);
    const reply = answerControl(service, {
      method,
      url,
      body: body === undefined ? "" : JSON.stringify(body),
    });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.text}`);
    return JSON.parse(reply.text) as JsonObject;
  };
  return {
    upstream: createUpstream({
      http: httpOf(service, base, options.latencyMs ?? LATENCY_MS),
      baseUrl: "http://127.0.0.1:8787",
      key: () => "sandbox",
    }),
    world: service.world,
    control,
    billed: () => {
      const summary = service.log.summary();
      return {
        total: summary["billed"] as number,
        byEndpoint: summary["billed_by_endpoint"] as Readonly<Record<string, number>>,
      };
    },
  };
}

function createService(
  base: Clock,
  { seed = 1, accounts = 200, rates, quota = 1_000_000 }: SandboxServiceOptions,
): ServiceDeps {
  const clock = createSandboxClock(base);
  const startMs = clock.now();
  const world = createWorld({
    seed,
    accounts,
    startMs,
    now: clock.now,
    ...(rates === undefined ? {} : { rates }),
  });
  const keys = createKeyRing(startMs);
  keys.put("sandbox", { quota });
  return {
    clock,
    keys,
    log: createRequestLog(),
    faults: createFaults(world, clock),
    world,
    traps: true,
  };
}

/** Returns an HTTP port with the same headers, addresses and bodies as over a socket. */
const httpOf = (service: ServiceDeps, clock: Clock, latencyMs: number): Http => ({
  async request({ method, url, headers = {}, body = "" }) {
    await sleep(clock, latencyMs);
    const reply = answerRequest(service, {
      method,
      url: new URL(url),
      rawHeaders: Object.entries(headers).flat(),
      body,
    });
    return {
      status: reply.status,
      headers: { date: new Date(service.clock.now()).toUTCString() },
      body: reply.text,
    };
  },
});
