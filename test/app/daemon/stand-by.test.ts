/** Tests a daemon that stands by until it can have the state: it answers requests all the while. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startDaemon } from "../../../src/app/build.ts";
import type { Adapters } from "../../../src/app/daemon/daemon-deps.ts";
import { createFiles } from "../../../src/runtime/files.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createOutputs } from "../../../src/runtime/outputs.ts";
import { startServer } from "../../../src/server/server.ts";
import { openStore } from "../../../src/state/open.ts";
import { goodConfig } from "../../config/load-text.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { makeEmptyState } from "../../support/empty-state.ts";
import { startTemplates } from "../../support/inner-daemon.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { until } from "../../support/until.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/**
 * Returns what happened to the daemon's page, in order. `isTaken`: another daemon holds the address
 * at first.
 */
async function standBy(isTaken: boolean) {
  const folder = makeEmptyState();
  const did: string[] = [];
  let url = "";
  const healthOf = async () =>
    ((await (await fetch(`${url}/healthz`)).json()) as { readonly reason?: string }).reason;
  const adapters: Adapters = {
    startTemplates,
    async openStore(options) {
      options.standby?.onWait({ name: "other", host: "10.0.0.9", silentMs: 0 }, "older version");
      await until("an open page", () => did.length > 0);
      if (url !== "") did.push(String(await healthOf()));
      return openStore(options);
    },
    startControl: async () => ({
      path: "",
      answerWith: () => undefined,
      close: async () => void did.push("control socket closed"),
    }),
    async startServer(options) {
      if (!did.includes("taken") && isTaken) {
        did.push("taken");
        throw new Error("taken");
      }
      const opened = await startServer(options);
      url = opened.url;
      did.push("opened");
      return { ...opened, close: () => opened.close().then(() => void did.push("closed")) };
    },
  };
  const path = join(folder, "state.db");
  const text = `version: 1
api: { base_url: "http://127.0.0.1:1", key: k }
state: { path: ${path} }
server: { listen: "127.0.0.1:0" }
watches: { brand: { type: search, query: acme } }
sinks: { out: { type: console } }
`;
  const config = await goodConfig(text);
  const daemon = await startDaemon(config, {
    ...{
      clock: createVirtualClock(0),
      random: createSeededRandom(1),
      hash: sha256,
      log: rememberingLog(),
      version: "0.0.0",
    },
    ...{
      files: createFiles(),
      outputs: createOutputs(),
      write: () => undefined,
      addSecret: () => undefined,
      watchFiles: false,
    },
    ...{
      http: { request: () => Promise.reject(new Error("no network")) },
      load: async () => ({ ok: true, config }) as const,
      adapters,
    },
  });
  onTestFinished(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { did, healthOf };
}

it("its page stays open while it takes over", async () => {
  const { did, healthOf } = await standBy(false);
  expect(did).toEqual([
    "opened",
    "it stands by until 10.0.0.9 ends, whose version is older, and is ready to take over",
  ]);
  expect(await healthOf()).not.toContain("stands by");
});

it("where the address was the other daemon's, its page opens once it has the state", async () => {
  const { did } = await standBy(true);
  expect(did).toEqual(["taken", "opened"]);
});
