/**
 * A node:http server around the routes, with limits against slow clients and a close that always
 * completes. The routes are loaded with the first request, so that the server can listen before
 * they are loaded.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import { sleep, type Clock } from "../model/clock.ts";
import { loadRoutes, type RouteDeps } from "./load-routes.ts";
import type { Access } from "./routes.ts";

const CLOSE_GRACE_MS = 1_000;
const LIMITS = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
};

export interface Listener {
  readonly server: Server;
  /** Replaces the routes. The server keeps listening meanwhile. */
  answerWith(deps: RouteDeps): void;
  /** Loads the routes and lets them answer a request of this process, whose answer is dropped. */
  visit(request: Request): Promise<void>;
}

interface Loaded {
  readonly answer: RequestListener;
  readonly visit: Listener["visit"];
}

export function createListener(initial: RouteDeps, access: Access): Listener {
  let deps = initial;
  let loading: Promise<Loaded> | undefined;
  const load = () => {
    loading ??= loadListener(deps, access).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const server = createServer(LIMITS, (request, response) => {
    load().then(
      ({ answer }) => answer(request, response),
      () => response.writeHead(500).end(),
    );
  });
  const answerWith = (others: RouteDeps) => {
    deps = others;
    loading = undefined;
  };
  return { server, answerWith, visit: async (request) => (await load()).visit(request) };
}

async function loadListener(deps: RouteDeps, access: Access): Promise<Loaded> {
  const [{ getRequestListener }, routes] = await Promise.all([
    import("@hono/node-server"),
    loadRoutes(deps, access),
  ]);
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false });
  return {
    answer: (request, response) => void answer(request, response),
    visit: async (request) => void (await routes.fetch(request)),
  };
}

/**
 * Closes the server. New connections are refused; running requests have one second to finish before
 * their connections are closed.
 */
export async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const done = new AbortController();
  const late = sleep(clock, CLOSE_GRACE_MS, done.signal).then(() => server.closeAllConnections());
  await Promise.race([closed, late]);
  done.abort();
  await closed;
}
