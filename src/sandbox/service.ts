/**
 * Answers one API request. Checks the key and the rate limit, finds the operation, checks the
 * quota, calls the handler and bills the request. sandbox.ts reads requests from the socket;
 * wire.ts writes the answers.
 */
import { costOf } from "./calls/billing.ts";
import { answerText, type Call } from "./calls/call.ts";
import { withWireQuirks } from "./calls/wire-quirks.ts";
import { findOperation, type FoundOperation, type Operation } from "./endpoints/table.ts";
import type { Fault, Faults } from "./faults.ts";
import type { KeyRing } from "./calls/keys.ts";
import { createParams, parseBody, parseSearch } from "./calls/params.ts";
import type { RequestLog } from "./request-log.ts";
import type { SandboxClock } from "./calls/sandbox-clock.ts";
import { badRequest, ServiceError } from "./calls/service-error.ts";
import { createShow } from "./world/shown/show.ts";
import type { World } from "./world/world.ts";

export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/**
 * An answer that is ready to be written. `fault` is the fault that this request got; it may say how
 * wire.ts has to break the answer.
 */
export interface ServiceReply {
  readonly status: number;
  readonly text: string;
  readonly fault?: Fault | undefined;
}

export interface ServiceDeps {
  readonly clock: SandboxClock;
  readonly keys: KeyRing;
  readonly log: RequestLog;
  readonly faults: Faults;
  readonly world: World;
  readonly traps: boolean;
}

interface Progress {
  key: string;
  operation?: Operation;
}

/** Answers a request. Never throws. */
export function answerRequest(deps: ServiceDeps, request: ServiceRequest): ServiceReply {
  deps.faults.endExpired();
  const progress: Progress = { key: "" };
  let reply: ServiceReply;
  try {
    reply = work(deps, request, progress);
  } catch (error) {
    const known = error instanceof ServiceError ? error : new ServiceError(500, "internal error");
    reply = { status: known.status, text: JSON.stringify({ message: known.message }) };
  }
  const billed = costOf(progress.operation?.row, reply.status);
  deps.keys.bill(progress.key, billed);
  logRequest(deps, request, progress, { status: reply.status, billed });
  return reply;
}

function work(deps: ServiceDeps, request: ServiceRequest, progress: Progress): ServiceReply {
  const nowMs = deps.clock.now();
  progress.key = deps.keys.authenticate(request.rawHeaders, nowMs);
  deps.log.arrive(progress.key, nowMs);
  deps.keys.countSecond(progress.key, nowMs);
  const found = findOperation(request.method, request.url.pathname);
  if (found?.operation.name !== "key-usage-info") deps.keys.checkPaid(progress.key, nowMs);
  if (found === undefined)
    throw new ServiceError(404, `Cannot ${request.method} ${request.url.pathname}`);
  const { operation } = found;
  progress.operation = operation;
  const fault = deps.faults.strike(operation.name);
  if (fault?.status !== undefined)
    return {
      status: fault.status,
      text: fault.body ?? JSON.stringify({ message: fault.message ?? fault.name }),
      fault,
    };
  const call = createCall(deps, request, found, { key: progress.key, nowMs });
  const answer = deps.faults.change(fault, call, operation.handle(call));
  const text = answerText(withWireQuirks(operation.name, answer));
  return { status: 200, text, fault };
}

interface Caller {
  readonly key: string;
  readonly nowMs: number;
}

function createCall(
  deps: ServiceDeps,
  request: ServiceRequest,
  { operation, pathValue }: FoundOperation,
  { key, nowMs }: Caller,
): Call {
  const isQuery = operation.row.method === "GET";
  if (!isQuery) refuseOtherTypes(request.rawHeaders);
  const params = createParams(
    isQuery ? parseSearch(request.url.searchParams) : parseBody(request.body),
    isQuery,
  );
  return {
    endpoint: operation.name,
    params,
    cursor: operation.row.cursor && params.optional(operation.row.cursor.param),
    pathValue,
    world: deps.world,
    show: createShow(deps.world, nowMs),
    nowMs,
    traps: deps.traps,
    usage: () => deps.keys.usage(key),
  };
}

/** Checks that the content type is JSON (api-v3.md, Authentication 5). @throws ServiceError 400 */
function refuseOtherTypes(rawHeaders: readonly string[]): void {
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "content-type",
  );
  const type = at < 0 ? "" : (rawHeaders[at + 1] ?? "");
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw badRequest("Content-Type must be application/json");
}

interface Outcome {
  readonly status: number;
  readonly billed: number;
}

function logRequest(
  deps: ServiceDeps,
  request: ServiceRequest,
  progress: Progress,
  { status, billed }: Outcome,
): void {
  deps.log.record({
    at: new Date(deps.clock.now()).toISOString(),
    key: progress.key,
    method: request.method,
    path: request.url.pathname,
    endpoint: progress.operation?.name ?? "",
    status,
    billed,
    input: (request.method === "GET" ? request.url.search : request.body).slice(0, 2_000),
  });
}
