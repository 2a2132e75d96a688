/** One node:http server around the routes, with limits that hold off slow callers, and a close that ends. */
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { sleep, type Clock } from "../model/clock.ts";

const CLOSE_GRACE_MS = 1_000;

export function createHttpServer(routes: Hono): Server {
  const serverOptions = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 16_384 };
  const server = createAdaptorServer({ fetch: routes.fetch, overrideGlobalObjects: false, serverOptions });
  return server as Server;
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
