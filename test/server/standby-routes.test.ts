/**
 * Tests a daemon that stands by: it is healthy, is ready only if all it waits for is the end of an
 * older version, and says what it waits for.
 */
import { describe, expect, it } from "vitest";
import { createStandbyRoutes } from "../../src/server/standby-routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

describe.each([
  { reason: "it stands by while 10.0.0.3 creates the state", isReady: false },
  {
    reason: "it stands by until 10.0.0.3 ends, whose version is older, and is ready to take over",
    isReady: true,
  },
])("where $reason", (idle) => {
  const routes = createStandbyRoutes({ clock: createVirtualClock(0), idle: () => idle });
  const { reason, isReady } = idle;
  it.each([
    ["/healthz", 200, { status: "ok", reason }],
    ["/readyz", isReady ? 200 : 503, { status: "standby", reason }],
    ["/api/v1/status", 503, { error: { code: "SERVER_STANDS_BY", message: reason } }],
  ])("%s answers %i", async (path, status, body) => {
    const answer = await routes.request(path);
    expect([answer.status, await answer.json()]).toMatchObject([status, body]);
  });
});
