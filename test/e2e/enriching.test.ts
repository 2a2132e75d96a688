/**
 * Tests enrichment in the whole daemon: the example as it is, a crash while an answer is awaited,
 * and a program instead of an endpoint.
 */
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { startScript } from "../support/child-process.ts";
import { startDaemonHere } from "../support/daemon-process.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, hookSink, keep, morePolls, noted } from "./fixture.ts";

cleanUpAfterwards();

const EXAMPLE = resolve("examples/enrich-sentiment");

it.concurrent("the example sends negative posts to its webhook and the others to the terminal", async () => {
  const { api, hook, folder } = await createFixture();
  cpSync(EXAMPLE, folder, { recursive: true });
  const service = startScript([join(folder, "sentiment.mjs"), "0"], { cwd: folder });
  const url = await until("the service", () => /^http.+/.exec(service.out())?.[0], service.err);
  const env = {
    CHIRPWATCH_API_URL: api.url,
    CHIRPWATCH_API_KEY: api.key,
    PORT: "0",
    SENTIMENT_URL: url,
    ALARMS_URL: hook.url,
  };
  const checked = await runCommand(["validate", "-c", "watches.yaml"], { cwd: folder, env });
  expect([checked.code, checked.err]).toEqual([0, ""]);
  const daemon = await startDaemonHere({ folder, env });
  await daemon.logged(/^brand: \d+ items noted/);
  api.post("search:acme", 1, { text: "acme is great" });
  const [bad] = api.post("search:acme", 1, { text: "my acme is broken, I want a refund" });
  await until("the alarm", () => hook.events().length > 0, daemon.err);
  await until("the other one", () => daemon.out().includes("acme is great"), daemon.err);
  expect(hook.events()).toMatchObject([
    {
      subject: bad,
      labels: { sentiment: "negative", enrich: "ok" },
      data: { enrichment: { score: -2 } },
    },
  ]);
  expect(daemon.out()).toContain("score 1");
  expect(daemon.out()).not.toContain("refund");
});

it.concurrent("a crash between the event and the answer sends its alert once, with the answer", async () => {
  const fixture = await createFixture();
  const endpoint = keep(await startLoopbackServer(() => {}));
  const enrich = { url: endpoint.url, allow_private: true, labels: ["sentiment"], timeout: "60s" };
  fixture.configure({ watches: { w: { type: "search", query: "acme", enrich } } });
  const first = await fixture.startProcess();
  await noted(first, "w");
  const [id = ""] = fixture.api.post("search:acme");
  await until("the question", () => endpoint.received.length > 0, first.err);
  expect((await first.status()).watches).toMatchObject([{ enriching: { waiting: 1, error: "" } }]);
  const explained = await runCommand(["explain", id], { cwd: fixture.folder });
  expect(explained.out).toContain("enrichment: waiting, no answer yet");
  first.kill("SIGKILL");
  await first.gone;
  expect(fixture.hook.events()).toEqual([]);
  endpoint.answer(json({ labels: { sentiment: "good" } }));
  const second = await fixture.start();
  await until("the alert", () => fixture.hook.events().length > 0, second.err);
  await morePolls(fixture.api, "search-tweets");
  expect(fixture.hook.events()).toMatchObject([
    { subject: id, labels: { sentiment: "good", enrich: "ok" } },
  ]);
});

it.concurrent("a program is asked where the environment allows it, and what it says on standard error does not matter", async () => {
  const fixture = await createFixture();
  const program = join(fixture.folder, "rate");
  writeFileSync(
    program,
    `#!/bin/sh\necho "a warning" >&2\nread -r event\necho '{"labels":{"sentiment":"good"},"fields":{"args":"'"$1"'"}}'\n`,
  );
  chmodSync(program, 0o755);
  fixture.configure({
    watches: {
      w: {
        type: "search",
        query: "acme",
        enrich: { exec: [program, "--fast"], labels: ["sentiment"] },
      },
    },
    sinks: { hook: hookSink(fixture.hook) },
  });
  const daemon = await fixture.start({ CHIRPWATCH_ALLOW_EXEC: program });
  await noted(daemon, "w");
  fixture.api.post("search:acme");
  await until("the alert", () => fixture.hook.events().length > 0, daemon.err);
  expect(fixture.hook.events()).toMatchObject([
    { labels: { sentiment: "good", enrich: "ok" }, data: { enrichment: { args: "--fast" } } },
  ]);
});
