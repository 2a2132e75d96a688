/**
 * Starts the sandbox: a server on a loopback port that answers API v3 from a simulated world. This
 * file has the listening socket; service.ts and control.ts answer the requests.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { isLoopback } from "../model/loopback.ts";
import { answerControl, type ControlReply, type ControlRequest } from "./control.ts";
import { exportWorld } from "./records/export.ts";
import { loadRecords } from "./records/load-records.ts";
import {
  isKept,
  journalLine,
  readJournal,
  type WorldData,
  type WorldHeader,
} from "./records/journal.ts";
import { createFaults } from "./faults.ts";
import { createKeyRing } from "./calls/keys.ts";
import { createRequestLog } from "./request-log.ts";
import { createSandboxClock } from "./calls/sandbox-clock.ts";
import { answerRequest, type ServiceDeps } from "./service.ts";
import { writeReply } from "./wire.ts";
import type { PostingRates } from "./world/people/accounts.ts";
import { createWorld, type World } from "./world/world.ts";

export interface SandboxOptions {
  readonly clock: Clock;
  /** The loopback address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** The port; 0, the default, means any free port. */
  readonly port?: number;
  /**
   * The keys that are valid at the start; `["sandbox"]` by default. The control API can add more.
   */
  readonly keys?: readonly string[];
  readonly seed?: number;
  readonly accounts?: number;
  /** The monthly quota of each key; 100,000 requests by default. */
  readonly quota?: number;
  /**
   * How many posts accounts write per day. The numbers are log-normally distributed, by default
   * with median 0.4 and mean 3.
   */
  readonly rates?: PostingRates;
  /** Whether the sandbox sends short and empty pages in the middle of lists; on by default. */
  readonly traps?: boolean;
  /**
   * A saved world to continue. Its seed, number of accounts and start take precedence over these
   * options. Requests that change the world are appended to it.
   */
  readonly data?: WorldData;
}

export interface Sandbox {
  /** The base URL of the API, without `/v3`. */
  readonly url: string;
  /** The first valid key. */
  readonly key: string;
  readonly world: World;
  /**
   * Does what the request `POST /_sandbox/<path>` does, and returns its answer. @throws Error if
   * the request is refused
   */
  order(path: string, body: JsonObject): Json;
  /** Closes the port and all open connections, including those that a fault leaves hanging. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_000_000;

/**
 * Starts the sandbox. Resolves when the port is open. @throws ExitError SANDBOX_HOST,
 * SANDBOX_LISTEN, SANDBOX_DATA
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? "127.0.0.1";
  refuseRemote(host);
  const deps = createDeps(options);
  const server = createServer(
    (request, response) => void serve(deps, options.data, request, response),
  );
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, host, options.port ?? 0);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    key: options.keys?.[0] ?? "sandbox",
    world: deps.world,
    order(path, body) {
      const url = new URL(`http://sandbox/_sandbox/${path}`);
      const { status, text } = control(deps, options.data, {
        method: "POST",
        url,
        body: JSON.stringify(body),
      });
      if (status !== 200) throw new Error(`the sandbox refuses ${path}: ${text}`);
      return JSON.parse(text) as Json;
    },
    close: () => close(server),
  };
}

function createDeps(options: SandboxOptions): ServiceDeps {
  const clock = createSandboxClock(options.clock);
  const keys = createKeyRing(clock.now());
  for (const key of options.keys ?? ["sandbox"]) keys.put(key, { quota: options.quota ?? 100_000 });
  const journal = readJournal(options.data?.text ?? "", options.data?.name);
  const header = journal.header ?? headerOf(options, clock.now());
  if (journal.header === undefined) options.data?.append(journalLine(header));
  const world = createWorld({
    seed: header.seed,
    accounts: header.accounts,
    startMs: header.start_ms,
    rates: options.rates,
    now: clock.now,
  });
  const log = createRequestLog();
  const faults = createFaults(world, clock);
  const traps = options.traps ?? true;
  loadRecords(world, journal.records, clock.now());
  for (const { at_ms, method, path, body } of journal.entries) {
    const then = {
      keys,
      log,
      faults,
      traps,
      world: { ...world, ...world.at(at_ms) },
      clock: { ...clock, now: () => at_ms },
    };
    answerControl(then, { method, url: new URL(`http://sandbox/_sandbox/${path}`), body });
  }
  return { clock, keys, log, faults, world, traps };
}

const headerOf = (options: SandboxOptions, nowMs: number): WorldHeader => ({
  seed: options.seed ?? 1,
  accounts: options.accounts ?? 200,
  start_ms: nowMs,
});

function control(
  deps: ServiceDeps,
  data: WorldData | undefined,
  request: ControlRequest,
): ControlReply {
  const { method, url, body } = request;
  const at_ms = deps.clock.now();
  const reply = answerControl(deps, request, at_ms);
  const path = url.pathname.replace("/_sandbox/", "");
  if (reply.status === 200 && isKept(method, path))
    data?.append(journalLine({ at_ms, method, path, body }));
  return reply;
}

/**
 * Throws if the host is not on loopback. The sandbox speaks plain HTTP only, while the real service
 * accepts only HTTPS (api-v3.md, Authentication 4).
 */
function refuseRemote(host: string): void {
  if (isLoopback(host)) return;
  throw new ExitError(
    EXIT.usage,
    "SANDBOX_HOST",
    `the sandbox listens on loopback addresses only, not on ${host}`,
    {
      hint: "Use --listen 127.0.0.1:8787.",
    },
  );
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new ExitError(
          EXIT.cannotCreate,
          "SANDBOX_LISTEN",
          `the sandbox cannot listen on ${host}:${port}: ${errorText(cause)}`,
          {
            cause,
            hint: "Choose another port; 0 takes any free one.",
          },
        ),
      ),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  deps: ServiceDeps,
  data: WorldData | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body: string;
  try {
    body = await readBody(request);
  } catch {
    return void response.destroy();
  }
  const url = new URL(request.url ?? "/", "http://sandbox");
  const method = request.method ?? "GET";
  if (method === "GET" && url.pathname === "/_sandbox/export") return exportTo(deps, response);
  const reply = url.pathname.startsWith("/_sandbox/")
    ? control(deps, data, { method, url, body })
    : answerRequest(deps, { method, url, rawHeaders: request.rawHeaders, body });
  writeReply(response, reply, deps.clock.now(), deps.clock.base);
}

/**
 * Streams the export line by line, as fast as the client reads it, because a world can be larger
 * than memory.
 */
async function exportTo(deps: ServiceDeps, response: ServerResponse): Promise<void> {
  response.setHeader("Content-Type", "application/x-ndjson; charset=utf-8");
  try {
    await pipeline(Readable.from(exportWorld(deps.world, deps.clock.now())), response);
  } catch {
    // The client has disconnected.
    response.destroy();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RangeError("body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
