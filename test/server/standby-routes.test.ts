/** A daemon that stands by is well, not ready, and says which one is active. */
import { expect, it } from "vitest";
import { createStandbyRoutes } from "../../src/server/standby-routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const routes = createStandbyRoutes({ clock: createVirtualClock(0), standbyText: () => "it stands by; active is 10.0.0.3" });

it.each([
  ["/healthz", 200, { status: "ok", reason: "it stands by; active is 10.0.0.3" }],
  ["/readyz", 503, { status: "standby", reason: "it stands by; active is 10.0.0.3" }],
  ["/api/v1/status", 503, { error: { code: "SERVER_STANDS_BY", message: "it stands by; active is 10.0.0.3" } }],
])("%s answers %i", async (path, status, body) => {
  const answer = await routes.request(path);
  expect([answer.status, await answer.json()]).toEqual([status, body]);
});
