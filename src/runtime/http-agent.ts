/**
 * Implements the Http port with undici: one request results in one complete answer or one
 * classified error. Owns the deadline, the size limit and decompression. http-reach.ts decides to
 * which addresses sockets may be opened; callers decide about retries, budgets and the meaning of
 * an answer.
 */
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import {
  HttpError,
  type Http,
  type HttpRequest,
  type HttpResponse,
  type NetworkScope,
} from "../model/http.ts";
import { decodeBody } from "./http-body.ts";
import { classifyFailure, timedOut, tooLarge, type ViaProxy, wasAborted } from "./http-failure.ts";
import { checkBeforeProxy, createConnector, type ResolveHost } from "./http-reach.ts";
import { NO_PROXIES, type Proxies } from "./proxies.ts";

/**
 * undici's own timeouts are off, because one deadline covers connecting, headers and body together.
 */
const POOL = { connections: 256, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;

export interface HttpAgent extends Http {
  /** Closes all sockets. Requests under way end with HTTP_ABORTED. */
  close(): Promise<void>;
}

export interface HttpAgentOptions {
  /** Replaces the system's resolver of host names. */
  readonly resolve?: ResolveHost;
  /**
   * The proxies to use. None by default, because a library does not read the environment of the
   * process that loads it.
   */
  readonly proxies?: Proxies;
}

/**
 * Creates an agent. Connections are kept alive, without pipelining. A connection that was opened
 * for one network scope is never used for another.
 */
export function createHttpAgent(options: HttpAgentOptions = {}): HttpAgent {
  const { resolve, proxies = NO_PROXIES } = options;
  const agents = new Map<string, Dispatcher>();
  const kept = (key: string, create: () => Dispatcher): Dispatcher => {
    const agent = agents.get(key) ?? create();
    agents.set(key, agent);
    return agent;
  };
  const direct = (reach: NetworkScope) =>
    kept(reach, () => new Agent({ ...POOL, connect: createConnector(reach, resolve) }));
  return {
    async request(request) {
      const { reach } = request;
      const url = parseUrl(request.url);
      // A request that must stay on this machine does not go through a proxy.
      const proxy = reach === "loopback" ? undefined : proxies.proxyFor(url);
      if (proxy === undefined) return exchange(direct(reach), request, url);
      await checkBeforeProxy(url.hostname, reach, resolve);
      const { href, via } = proxy;
      const agent = kept(href, () => new ProxyAgent({ ...POOL, uri: href }));
      return exchange(agent, request, url, via);
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** @throws HttpError */
function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (error) {
    throw classifyFailure(error, text, false);
  }
}

/**
 * How long to wait for a body that need not be complete. If the caller needs no body at all, the
 * socket is closed after this time.
 */
const BODY_GRACE_MS = 2_000;

/** The state of one request between undici's callbacks. */
interface Exchange {
  controller: Dispatcher.DispatchController | undefined;
  /** Whether bytes of the request may have left this machine. */
  started: boolean;
  settled: boolean;
  /** The status of the answer; 0 until its headers have arrived. */
  status: number;
  headers: Record<string, string>;
  readonly chunks: Buffer[];
  bytes: number;
  /** The timer that ends the wait for a body that need not be complete. */
  grace: NodeJS.Timeout | undefined;
}

/** The ways in which the handler settles the request. Only the first call has an effect. */
interface Outcome {
  fail(error: HttpError): void;
  /** Resolves the request with the part of the body that has arrived, decompressed. */
  answer(): void;
  answerWith(body: string): void;
}

function exchange(
  agent: Dispatcher,
  request: HttpRequest,
  url: URL,
  via?: ViaProxy,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const state: Exchange = {
      controller: undefined,
      started: false,
      settled: false,
      status: 0,
      headers: {},
      chunks: [],
      bytes: 0,
      grace: undefined,
    };
    const settleOnce = (finish: () => void) => {
      if (state.settled) return;
      state.settled = true;
      clearTimeout(deadline);
      request.signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const answerWith = (body: string) =>
      settleOnce(() => resolve({ status: state.status, headers: state.headers, body }));
    const answer = () => {
      if (state.settled) return;
      // The deadline still runs while the body is decompressed.
      decodeBody(
        Buffer.concat(state.chunks, state.bytes),
        state.headers["content-encoding"],
        request.maxBytes,
      ).then(answerWith, (error: HttpError) =>
        isWholeWanted(request) ? fail(error) : answerWith(""),
      );
    };
    const fail = (error: HttpError) => {
      // If the caller does not need the whole body, the status is answer enough when the body
      // fails.
      if (state.status !== 0 && !isWholeWanted(request)) answer();
      else settleOnce(() => reject(error));
      state.controller?.abort(error);
    };
    const onAbort = () => fail(wasAborted(state.started, request.signal?.reason));
    const deadline = setTimeout(() => fail(timedOut(request, state)), request.timeoutMs);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    if (request.signal?.aborted) return onAbort();
    try {
      agent.dispatch(
        dispatchOptions(request, url),
        handlerFor(state, request, { fail, answer, answerWith }, via),
      );
    } catch (error) {
      fail(classifyFailure(error, request.url, false, via));
    }
  });
}

const isWholeWanted = ({ answerBody = "whole" }: HttpRequest): boolean => answerBody === "whole";

function handlerFor(
  state: Exchange,
  request: HttpRequest,
  { fail, answer, answerWith }: Outcome,
  via: ViaProxy | undefined,
): Dispatcher.DispatchHandler {
  const isTooLong = () => state.bytes > request.maxBytes;
  return {
    onRequestStart(controller) {
      state.controller = controller;
      // The deadline may have passed while the connection was being made. In that case nothing may
      // be sent.
      if (state.settled) controller.abort(new Error("settled before it was sent"));
      else state.started = true;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return; // 1xx: the final answer follows
      state.status = status;
      state.headers = flatten(headers);
      if (!isWholeWanted(request)) {
        state.grace = setTimeout(
          () => fail(timedOut(request, state)),
          Math.min(BODY_GRACE_MS, request.timeoutMs),
        );
        if (request.answerBody === "drop" && status < 300) answerWith("");
      } else if (Number(state.headers["content-length"]) > request.maxBytes)
        fail(tooLarge(request.maxBytes));
    },
    onResponseData(_controller, chunk) {
      state.bytes += chunk.length;
      if (isTooLong()) fail(tooLarge(request.maxBytes));
      else if (!state.settled) state.chunks.push(chunk);
    },
    onResponseEnd() {
      clearTimeout(state.grace);
      answer();
    },
    onResponseError(_controller, error) {
      clearTimeout(state.grace);
      fail(classifyFailure(error, request.url, state.started, via));
    },
  };
}

function dispatchOptions(request: HttpRequest, url: URL): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { "accept-encoding": "gzip, deflate, br", ...request.headers },
    body: request.body ?? null,
  };
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined)
      flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}
