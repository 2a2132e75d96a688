/**
 * One node:http server around the routes, with limits that hold off slow callers, and a close that ends. The routes are loaded when
 * somebody asks for the first time: listening must not wait for what answers.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import type { Hono } from "hono";
import { sleep, type Clock } from "../model/clock.ts";

const CLOSE_GRACE_MS = 1_000;
const LIMITS = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 16_384 };

export function createHttpServer(loadRoutes: () => Promise<Hono>): Server {
  let loading: Promise<RequestListener> | undefined;
  return createServer(LIMITS, (request, response) => {
    loading ??= loadListener(loadRoutes);
    loading.then(
      (answer) => answer(request, response),
      () => {
        loading = undefined;
        response.writeHead(500).end();
      },
    );
  });
}

async function loadListener(loadRoutes: () => Promise<Hono>): Promise<RequestListener> {
  const [{ getRequestListener }, routes] = await Promise.all([import("@hono/node-server"), loadRoutes()]);
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false });
  return (request, response) => void answer(request, response);
}

/** No new callers; those under way have a second, then their sockets are cut. */
export async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const done = new AbortController();
  const late = sleep(clock, CLOSE_GRACE_MS, done.signal).then(() => server.closeAllConnections());
  await Promise.race([closed, late]);
  done.abort();
  await closed;
}
