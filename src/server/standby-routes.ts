/**
 * The routes of a daemon that does not work at the moment, because it starts, stops or stands by.
 */
import { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { problem } from "./openapi/problem.ts";

/** The state of a daemon that does not work at the moment. */
export interface Idle {
  readonly reason: string;
  /**
   * Whether the daemon only waits until an older version has ended. It then reports itself ready,
   * because a rolling update stops the older version only when the new one is ready.
   */
  readonly isReady: boolean;
}

export interface StandbyRouteDeps {
  readonly clock: Clock;
  readonly idle: () => Idle;
}

export function createStandbyRoutes({ idle }: StandbyRouteDeps): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok", reason: idle().reason }));
  app.get("/readyz", (c) =>
    c.json({ status: "standby", reason: idle().reason }, idle().isReady ? 200 : 503),
  );
  app.notFound((c) =>
    problem(c, { status: 503, code: "SERVER_STANDS_BY", message: idle().reason }),
  );
  return app;
}
