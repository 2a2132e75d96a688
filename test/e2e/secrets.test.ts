/**
 * Tests that no secret is shown anywhere, whatever a receiver repeats of it: in the log, on the
 * page, in the API, in metrics, in ops alerts, in the state.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

/** Every secret of the test contains this word. */
const CANARY = /canary/i;

/**
 * Starts a receiver that refuses and repeats the request, as many servers do: all of it, or the
 * last part of the path.
 */
const startParrot = (): Promise<LoopbackServer> =>
  startLoopbackServer((request, response) => {
    const token = request.url.split(/[/?]/).filter(Boolean).at(-1);
    const text = request.url.includes("short")
      ? token
      : `Cannot POST ${request.url} at ${request.headers.host}: ${JSON.stringify(request.headers)}`;
    response.writeHead(404).end(text);
  }).then(keep);

it("secrets stay out of everything that people read or that is kept, also where a receiver repeats them", async () => {
  const fixture = await createFixture();
  const parrot = await startParrot();
  const ofSlack = { type: "slack", api_url: `${parrot.url}/api/` };
  const ofDiscord = { type: "discord", api_url: `${parrot.url}/api` };
  const sinks = {
    "hook-path": {
      type: "webhook",
      url: `${parrot.url}/hooks/catch/1234567/canary-in-path/`,
      secret: "canary-signature",
      allow_private: true,
    },
    "hook-query": {
      type: "webhook",
      url: `${parrot.url}/in?key=canary-in-query-of-it`,
      headers: { Authorization: "Bearer canary-of-a-header" },
      allow_private: true,
    },
    "hook-short": { type: "webhook", url: "${HOOK_URL}", allow_private: true },
    "slack-bot": { ...ofSlack, token: "xoxb-canary-of-a-bot", channel: "#brand" },
    "slack-hook": {
      ...ofSlack,
      webhook_url: `${parrot.url}/services/short/T0/B0/CanaryOfSlackWebhook`,
    },
    "discord-bot": { ...ofDiscord, token: "canary-of-a-discord-bot", channel_id: "7" },
    "discord-hook": {
      ...ofDiscord,
      webhook_url: `${parrot.url}/api/webhooks/1128374650192837465/CanaryOfDiscord`,
    },
  };
  const names = Object.keys(sinks);
  writeConfig(fixture.folder, {
    ...baseConfig(fixture.api.url, fixture.api.key),
    defaults: { watch: { schedule: "@every 1s" } },
    watches: { w: { type: "search", query: "acme", sink: names } },
    sinks: { ...sinks, ops: hookSink(fixture.hook) },
    ops: { sink: "ops" },
  });
  const env = {
    HOOK_URL: `${parrot.url}/short/0/canary-of-the-environment`,
    CHIRPWATCH_LOG_LEVEL: "debug",
  };
  const daemon = await fixture.start(env);
  await noted(daemon, "w");
  const [id = ""] = fixture.api.post("search:acme", 1);
  const failing = () =>
    new Set(
      fixture.hook
        .events()
        .filter(({ type }) => type === "sink.failing")
        .map(({ data }) => data.subject ?? data.message),
    );
  await until(
    "every sink to be refused",
    async () =>
      (await daemon.status()).sinks.filter(({ breaker }) => breaker === "open").length ===
      names.length,
    daemon.err,
  );
  await until("an ops alert about each", () => failing().size >= names.length, daemon.err);
  const paths = [
    "/",
    "/metrics",
    "/api/v1/status",
    "/api/v1/events",
    `/api/v1/explain/${id}`,
    "/api/v1/watches",
  ];
  const shown = await Promise.all(paths.map((path) => daemon.get(path)));
  const commands = await Promise.all(
    [
      ["status"],
      ["status", "--json"],
      ["explain", id],
      ["validate"],
      ["test", "--sink", "hook-path"],
      ["test", "--sink", "slack-hook"],
    ].map((args) => runCommand(args, { cwd: fixture.folder, env })),
  );
  daemon.kill("SIGTERM");
  await daemon.gone;
  const data = join(fixture.folder, "data");
  const kept = readdirSync(data).map((name) => readFileSync(join(data, name), "latin1"));
  const alerted = fixture.hook.messages().map(({ body }) => body);
  for (const [index, text] of shown.entries()) expect(text, paths[index]).not.toMatch(CANARY);
  for (const { out, err } of commands) expect(`${out}${err}`).not.toMatch(CANARY);
  for (const text of [...kept, ...alerted, daemon.out(), daemon.err()])
    expect(text).not.toMatch(CANARY);

  // An address is shown as the sink's name, the host and a fingerprint.
  const { host } = new URL(parrot.url);
  const [page = "", metrics = "", status = ""] = shown;
  for (const text of [page, metrics, status, commands[0]?.out ?? ""])
    for (const name of ["hook-path", "hook-query", "slack-hook", "discord-hook"])
      expect(text).toMatch(new RegExp(`${name}[^\\n]*${host}, [0-9a-f]{6}\\b`));
  expect(daemon.err()).toMatch(new RegExp(`alerts go to hook-path \\(${host}, [0-9a-f]{6}\\)`));
  expect(commands[2]?.out).toContain("Cannot POST [redacted]");
});
