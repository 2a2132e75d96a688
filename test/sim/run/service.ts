/**
 * The data service of a simulation: the bundled sandbox in this process, on the world's own time,
 * with every fault it knows, including those of the connection. Owns how a request reaches it and
 * what was asked of it; the content of the world comes from the scenario.
 */
import type { Clock } from "../../../src/model/clock.ts";
import { sleep } from "../../../src/model/clock.ts";
import { HttpError, type HttpRequest, type HttpResponse } from "../../../src/model/http.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { answerControl } from "../../../src/sandbox/control.ts";
import { createFaults } from "../../../src/sandbox/faults.ts";
import type { WireFault } from "../../../src/sandbox/faults/kinds.ts";
import { createKeyRing } from "../../../src/sandbox/calls/keys.ts";
import { createRequestLog } from "../../../src/sandbox/request-log.ts";
import { createSandboxClock } from "../../../src/sandbox/calls/sandbox-clock.ts";
import { answerRequest, type ServiceDeps } from "../../../src/sandbox/service.ts";
import { findOperation } from "../../../src/sandbox/endpoints/table.ts";
import { createWorld, type World } from "../../../src/sandbox/world/world.ts";
import type { Random } from "../../../src/model/random.ts";

export const SERVICE_ORIGIN = "https://service.example";

/** A request that arrived at the service. */
export interface Asked {
  readonly atMs: number;
  readonly endpoint: string;
  readonly key: string;
  readonly status: number;
  readonly isBilled: boolean;
  readonly isLaterPage: boolean;
  /** Whether the answer is an empty list of tweets. Undefined if it is not a list of tweets. */
  readonly isEmptyList: boolean | undefined;
  /** The query string or the body. */
  readonly input: string;
}

export interface SimService {
  readonly world: World;
  readonly asked: readonly Asked[];
  /** The billed requests that left the daemon, whether they arrived or not, by key. */
  readonly sent: ReadonlyMap<string, number>;
  request(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Ends the faults whose time is over. Each request and order does so first, because until then
   * handles are still those of the fault.
   */
  settleFaults(): void;
  /** Carries out an order of the sandbox's control API. @throws Error when it refuses */
  order(method: string, path: string, body?: JsonObject): JsonObject;
}

export interface ServiceOptions {
  readonly seed: number;
  /** The world's time, which nobody sets. */
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: readonly { readonly key: string; readonly quota: number }[];
}

export function createSimService({ seed, clock, random, keys }: ServiceOptions): SimService {
  const service = createParts(seed, clock, keys);
  const asked: Asked[] = [];
  const sent = new Map<string, number>();
  return {
    world: service.world,
    asked,
    sent,
    settleFaults: service.faults.endExpired,
    async request(request) {
      const key = request.headers?.["ApiKey"] ?? "";
      if (!request.url.includes("key-usage-info")) sent.set(key, (sent.get(key) ?? 0) + 1);
      await sleep(clock, 20 + Math.floor(random.float() * 200));
      const url = new URL(request.url);
      const rawHeaders = Object.entries(request.headers ?? {}).flat();
      const atMs = clock.now();
      const reply = answerRequest(service, {
        method: request.method,
        url,
        rawHeaders,
        body: request.body ?? "",
      });
      const endpoint = findOperation(request.method, url.pathname)?.operation.name ?? url.pathname;
      const isLaterPage = /next_cursor/.test(`${url.search}${request.body ?? ""}`);
      const isBilled = endpoint !== "key-usage-info";
      const isEmptyList = isEmpty(reply.text);
      asked.push({
        atMs,
        endpoint,
        key,
        status: reply.status,
        isBilled,
        isLaterPage,
        isEmptyList,
        input: request.body ?? url.search,
      });
      if (reply.fault?.wire !== undefined) await breakDown(reply.fault.wire, request, clock);
      await sleep(clock, 20 + Math.floor(random.float() * 200));
      const headers = {
        date: new Date(service.clock.now()).toUTCString(),
        ...reply.fault?.headers,
      };
      return { status: reply.status, headers, body: reply.text };
    },
    order(method, path, body) {
      const url = new URL(`http://sandbox/_sandbox/${path}`);
      const reply = answerControl(service, {
        method,
        url,
        body: body === undefined ? "" : JSON.stringify(body, escaped),
      });
      if (reply.status !== 200)
        throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${reply.text}`);
      return JSON.parse(reply.text) as JsonObject;
    },
  };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes a text as the service does. The sandbox serves the text of an order as it is. */
const escaped = (_name: string, value: unknown): unknown =>
  typeof value === "string"
    ? value.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    : value;

/** Returns the original of a text that the service escaped. */
export const writtenText = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function isEmpty(text: string): boolean | undefined {
  const start = /"tweets":\[(.)/s.exec(text);
  return start === null ? undefined : start[1] === "]";
}

function createParts(seed: number, base: Clock, keys: ServiceOptions["keys"]): ServiceDeps {
  const clock = createSandboxClock(base);
  const startMs = clock.now();
  // The world has only the accounts that are added, so that the scenario knows everything about it.
  const world = createWorld({ seed, accounts: 0, startMs, now: clock.now });
  const ring = createKeyRing(startMs);
  for (const { key, quota } of keys) ring.put(key, { quota });
  return {
    clock,
    keys: ring,
    log: createRequestLog(),
    faults: createFaults(world, clock),
    world,
    traps: true,
  };
}

const FAILURES = {
  truncate: ["HTTP_RESET", "the connection broke before the whole answer had arrived"],
  reset: ["HTTP_RESET", "the connection broke before the whole answer had arrived"],
  cut: ["HTTP_CONNECT", "no connection could be made"],
  huge: ["HTTP_TOO_LARGE", "the answer is too large"],
  "gzip-bomb": ["HTTP_TOO_LARGE", "the answer is too large"],
} as const;

/** Fails as runtime/http-agent does when the connection has this fault. @throws HttpError always */
async function breakDown(wire: WireFault, request: HttpRequest, clock: Clock): Promise<never> {
  if (wire === "hang" || wire === "drip") {
    await sleep(clock, request.timeoutMs, request.signal);
    throw new HttpError("HTTP_TIMEOUT", `no whole answer within ${request.timeoutMs} ms`, true);
  }
  const [code, text] = FAILURES[wire];
  throw new HttpError(code, text, code !== "HTTP_CONNECT");
}
