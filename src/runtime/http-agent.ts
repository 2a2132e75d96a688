/**
 * HTTP behind the Http port, over undici: one request, one whole answer or one classified error. Owns the deadline, the size limit
 * and decompression; http-reach.ts owns where sockets may go; retries, budgets and meaning belong to the callers.
 */
import type { Dispatcher } from "undici";
import { HttpError, type Http, type HttpRequest, type HttpResponse, type Reach } from "../model/http.ts";
import { decodeBody } from "./http-body.ts";
import { classifyFailure, timedOut, tooLarge, wasAborted } from "./http-failure.ts";
import { createConnector, type ResolveHost } from "./http-reach.ts";
import { Agent } from "./undici-parts.ts";

const CONNECTIONS_PER_ORIGIN = 256;

export interface HttpAgent extends Http {
  /** Closes every socket; what is under way ends as HTTP_ABORTED. */
  close(): Promise<void>;
}

export interface HttpAgentOptions {
  /** Instead of the system's resolver. */
  readonly resolve?: ResolveHost;
}

/** Keep-alive connections without pipelining. A connection opened for one reach is never used for another. */
export function createHttpAgent(options: HttpAgentOptions = {}): HttpAgent {
  const agents = new Map<Reach, Dispatcher>();
  const agentFor = (reach: Reach): Dispatcher => {
    const known = agents.get(reach);
    if (known !== undefined) return known;
    const agent = new Agent({
      connect: createConnector(reach, options.resolve),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      // One deadline of ours covers connecting, headers and body together.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    agents.set(reach, agent);
    return agent;
  };
  return {
    request: async (request) => exchange(agentFor(request.reach), request),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** The state of one request between undici's callbacks. */
interface Exchange {
  controller: Dispatcher.DispatchController | undefined;
  /** Bytes of the request may have left this machine. */
  started: boolean;
  settled: boolean;
  status: number;
  headers: Record<string, string>;
  readonly chunks: Buffer[];
  bytes: number;
}

function exchange(agent: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const state: Exchange = { controller: undefined, started: false, settled: false, status: 0, headers: {}, chunks: [], bytes: 0 };
    const settle = (finish: () => void) => {
      if (state.settled) return;
      state.settled = true;
      clearTimeout(deadline);
      request.signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const fail = (error: HttpError) =>
      settle(() => {
        reject(error);
        state.controller?.abort(error);
      });
    const onAbort = () => fail(wasAborted(state.started, request.signal?.reason));
    const deadline = setTimeout(() => fail(timedOut(request, state)), request.timeoutMs);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    if (request.signal?.aborted) return onAbort();

    const onWholeBody = () => {
      const answer = { status: state.status, headers: state.headers };
      const body = Buffer.concat(state.chunks, state.bytes);
      // The deadline still runs: unpacking is part of the answer.
      decodeBody(body, state.headers["content-encoding"], request.maxBytes).then(
        (text) => settle(() => resolve({ ...answer, body: text })),
        (error: HttpError) => fail(error),
      );
    };
    try {
      agent.dispatch(dispatchOptions(request), handlerFor(state, request, fail, onWholeBody));
    } catch (error) {
      fail(classifyFailure(error, request.url, false));
    }
  });
}

function handlerFor(
  state: Exchange,
  request: HttpRequest,
  fail: (error: HttpError) => void,
  onWholeBody: () => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      state.controller = controller;
      // The deadline may have passed while the connection was being made: then nothing may leave.
      if (state.settled) controller.abort(new Error("settled before it was sent"));
      else state.started = true;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return; // 1xx: the answer is still to come
      state.status = status;
      state.headers = flatten(headers);
      if (Number(state.headers["content-length"]) > request.maxBytes) fail(tooLarge(request.maxBytes));
    },
    onResponseData(_controller, chunk) {
      state.bytes += chunk.length;
      if (state.bytes > request.maxBytes) fail(tooLarge(request.maxBytes));
      else state.chunks.push(chunk);
    },
    onResponseEnd: onWholeBody,
    onResponseError(_controller, error) {
      fail(classifyFailure(error, request.url, state.started));
    },
  };
}

function dispatchOptions(request: HttpRequest): Dispatcher.DispatchOptions {
  const url = new URL(request.url);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { "accept-encoding": "gzip, deflate, br", ...request.headers },
    body: request.body ?? null,
  };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
