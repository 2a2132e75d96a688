/** Tests `server.read_token` beside `server.token`: it reads everything and changes nothing. */
import { describe, expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { createDaemonStandIn } from "./daemon-stand-in.ts";

const setUp = () => {
  const daemon = createDaemonStandIn();
  const log = rememberingLog();
  const routes = createRoutes(
    { clock: createVirtualClock(0), log, ...daemon },
    { kind: "tcp", token: "change", readToken: "look" },
  );
  const ask = (method: string, path: string, token: string) =>
    routes.request(path, { method, headers: { authorization: `Bearer ${token}` } });
  return { daemon, log, routes, ask };
};

/** Every route that the server has, with a value for each of its parameters. */
const ROUTES = setUp()
  .routes.routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+/g, "1") }));
const [READS, CHANGES] = [
  ROUTES.filter(({ method }) => method === "GET"),
  ROUTES.filter(({ method }) => method !== "GET"),
];

describe("the token for reading", () => {
  it.each(READS.filter(({ path }) => path !== "/api/v1/tail"))("reads $path", async (route) => {
    const { ask } = setUp();
    const answer = await ask(route.method, route.path, "look");
    expect([401, 403]).not.toContain(answer.status);
  });

  it.each(CHANGES)("is refused at $method $path, which changes nothing", async (route) => {
    const { ask, daemon, log } = setUp();
    const answer = await ask(route.method, route.path, "look");
    expect([answer.status, ((await answer.json()) as any).error.code]).toEqual([
      403,
      "SERVER_READ_ONLY",
    ]);
    expect(daemon.asked).toEqual([]);
    expect(log.lines).toEqual([
      {
        level: "warn",
        message: "a change was refused, because server.read_token may only read",
      },
    ]);
  });

  it("is compared whole", async () => {
    const { ask } = setUp();
    for (const token of ["", "loo", "looks"])
      expect((await ask("GET", "/api/v1/status", token)).status).toBe(401);
  });
});

it("names the token that a change was asked with, in what the daemon records", async () => {
  const { ask, daemon } = setUp();
  await ask("POST", "/api/v1/silences/replay", "change");
  expect(daemon.asked).toEqual(["resend silenced all all by API with server.token"]);
  expect(CHANGES.length).toBeGreaterThan(8);
});
