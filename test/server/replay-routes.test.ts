/** Tests the routes that send alerts again. */
import { expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createDaemonStandIn, NOW_MS, silentLog } from "./daemon-stand-in.ts";

function setUp() {
  const daemon = createDaemonStandIn();
  const routes = createRoutes(
    { clock: createVirtualClock(NOW_MS), log: silentLog, ...daemon },
    { kind: "tcp" },
  );
  return {
    daemon,
    ask: (path: string, init?: RequestInit) =>
      routes.request(`http://localhost/api/v1/${path}`, {
        headers: { host: "localhost" },
        ...init,
      }),
  };
}

it("a request names an event or a time, and the person who asks", async () => {
  const { daemon, ask } = setUp();
  expect(await (await ask("replay?since=2h&sink=brand")).json()).toMatchObject({
    alerts: [{ sink: "brand", alerts: 2 }],
  });
  expect(await (await ask("replay?event=e1&by=alice", { method: "POST" })).json()).toEqual({
    alerts: 2,
    effect: "now",
  });
  expect(daemon.asked).toEqual([
    `preview {"what":{"sinceMs":${NOW_MS - 7_200_000}},"sink":"brand","by":"API"}`,
    'replay {"what":{"eventId":"e1"},"by":"alice"}',
  ]);
  expect(await (await ask("replays")).json()).toMatchObject({
    replays: [{ action: "replay event" }],
  });
});

it("anything else is refused, and nothing is sent", async () => {
  const { daemon, ask } = setUp();
  const bad = [
    ["replay", "name what to send again: an event or a time"],
    ["replay?event=", "name what to send again: an event or a time"],
    ["replay?event=e1&since=2h", "give an event or a time, not both"],
    [
      "replay?since=soon",
      'since must be a time like 2026-07-27T09:00:00Z or 2026-07-27, or how long ago, like 2h, not "soon"',
    ],
  ] as const;
  for (const [path, message] of bad) {
    const answer = await ask(path, { method: "POST" });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "SERVER_BAD_QUERY", message } },
    ]);
  }
  const foreign = await ask("replay?event=e1", {
    method: "POST",
    headers: { host: "localhost", origin: "https://evil.example" },
  });
  expect(foreign.status).toBe(403);
  expect(daemon.asked).toEqual([]);
});
