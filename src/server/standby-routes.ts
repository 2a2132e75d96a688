/** The answers of a daemon that does not work at the moment: it stands by, starts or stops. */
import { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { problem } from "./openapi/problem.ts";

/** Why a daemon does not work now. */
export interface Idle {
  readonly reason: string;
  /**
   * Whether the daemon waits only for the end of an older version. A rolling update must then go
   * on, so the probe says ready.
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
