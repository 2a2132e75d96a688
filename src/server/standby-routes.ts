/** What a daemon answers while it does not work: it stands by, starts or stops. It is well, and not ready. */
import { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { problem } from "./problem.ts";

export interface StandbyRouteDeps {
  readonly clock: Clock;
  /** Why it does not work now. */
  readonly standbyText: () => string;
}

export function createStandbyRoutes({ standbyText }: StandbyRouteDeps): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok", reason: standbyText() }));
  app.get("/readyz", (c) => c.json({ status: "standby", reason: standbyText() }, 503));
  app.notFound((c) => problem(c, { status: 503, code: "SERVER_STANDS_BY", message: standbyText() }));
  return app;
}
