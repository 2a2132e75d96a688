/**
 * Sends hostile requests to a daemon that runs as a process of its own, at its address and its
 * control socket.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controlSocketPath } from "../../src/server/control-path.ts";
import { cleanUpAfterwards, createFixture, noted } from "../e2e/fixture.ts";
import { SEED } from "../long/drawn-seed.ts";
import { manyRuns } from "../support/many-runs.ts";
import { playHostile } from "./hostile/play-hostile.ts";
import { sendSlowly, serverTarget } from "./hostile/server.ts";

cleanUpAfterwards();

const runs = manyRuns(200, 100_000);
const seed = manyRuns(1, SEED);
const LONG_MS = 7_200_000;
const TICKS_A_SECOND = 100;

async function start() {
  const fixture = await createFixture();
  fixture.configure({ watches: { w: { type: "search", query: "acme", schedule: "@every 30s" } } });
  fixture.api.post("search:acme", 10);
  const daemon = await fixture.startProcess();
  await noted(daemon, "w");
  let hasEnded = false;
  void daemon.gone.then(() => (hasEnded = true));
  const doors = {
    port: Number(new URL(daemon.url).port),
    socketPath: controlSocketPath(join(fixture.folder, "state.db")),
  };
  const ofProcess = (file: string) => readFileSync(`/proc/${daemon.pid}/${file}`, "utf8");
  return {
    ...{ daemon, doors },
    isAlive: () => !hasEnded,
    memoryBytes: () => Number(/VmRSS:\s+(\d+)/.exec(ofProcess("status"))?.[1] ?? 0) * 1_024,
    usedMs: () => {
      const fields = ofProcess("stat").split(") ")[1]?.split(" ") ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
    },
  };
}

it(
  `requests of any form (seed ${seed})`,
  async () => {
    const { daemon, doors, isAlive, memoryBytes, usedMs } = await start();
    await playHostile(serverTarget(doors, isAlive), { runs, seed, memoryBytes, usedMs });
    expect(daemon.err() + daemon.out()).not.toMatch(/a request to the server failed|uncaught/i);
  },
  LONG_MS,
);

it("fault 103: bodies that come a byte at a time are cut, and others are answered meanwhile", {
  timeout: 120_000,
}, async () => {
  const { daemon, doors } = await start();
  const slow = sendSlowly(doors, 40);
  for (let n = 0; n < 20; n += 1) expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  const answers = await Promise.all(slow);
  expect(new Set(answers.map((text) => text.split("\r\n")[0]))).toEqual(
    new Set(["HTTP/1.1 408 Request Timeout"]),
  );
});
