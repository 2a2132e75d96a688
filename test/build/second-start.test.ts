/**
 * Tests that parts which a start loads late also work from cached compiled code. On Node 20 a
 * script from the cache cannot import() a package, so the built files require packages.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { BIN, makeFolder, runBin, startBin } from "../support/bin-process.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

cleanUpAfterwards();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const configOf = (sinks: string, state: string): string => `version: 1
api: { base_url: "http://127.0.0.1:9", key: test }
state: ${state}
server: { listen: "127.0.0.1:0" }
watches: { w: { type: search, query: acme, schedule: "@every 5m", sink: out } }
sinks: { out: ${sinks} }
ops: { sink: out }
`;

it("a daemon reaches Postgres at its first start, and at its second one with kept code", async () => {
  const state = `{ url: ${JSON.stringify(await server.url())} }`;
  const cwd = makeFolder({ "watches.yaml": configOf("{ type: console }", state) });
  const env = { NODE_COMPILE_CACHE: makeFolder() };
  for (const start of ["first", "second"]) {
    const daemon = startBin(["run"], { cwd, env });
    await daemon.logged(/joined the replicas/);
    daemon.kill("SIGTERM");
    expect({ start, code: (await daemon.gone).code }).toEqual({ start, code: 0 });
  }
});

it("a Slack bot sends at the first start, and at the second one with kept code", async () => {
  const slack = await startLoopbackServer(
    json({ ok: true, ts: "1700000000.000100", channel: "C1" }),
  );
  const bot = `{ type: slack, token: xoxb-1, channel: "#brand", api_url: "${slack.url}/api/" }`;
  const cwd = makeFolder({ "watches.yaml": configOf(bot, "{ path: state.db }") });
  const env = { NODE_COMPILE_CACHE: makeFolder() };
  for (const start of ["first", "second"]) {
    const { code, err } = await runBin(["test", "--sink", "out"], { cwd, env });
    expect({ start, code, err }).toEqual({ start, code: 0, err: "" });
  }
  expect(slack.received.filter(({ url }) => url.endsWith("chat.postMessage"))).toHaveLength(2);
  await slack.close();
});

it("no built file has an import() left", () => {
  const dist = dirname(BIN);
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  expect(files.length).toBeGreaterThan(20);
  const importing = files.filter((name) =>
    /(?<![\w.])import\(/.test(readFileSync(join(dist, name), "utf8")),
  );
  expect(importing).toEqual([]);
});
