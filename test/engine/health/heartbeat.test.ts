import { expect, it } from "vitest";
import { startHeartbeat } from "../../../src/engine/health/heartbeat.ts";
import type { HttpRequest } from "../../../src/model/http.ts";
import type { Log } from "../../../src/model/log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function setUp(
  answer: () => Promise<{ status: number; headers: Record<string, string>; body: string }>,
) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const beats: HttpRequest[] = [];
  const warnings: string[] = [];
  const http = { request: (request: HttpRequest) => (beats.push(request), answer()) };
  const log: Log = {
    debug() {},
    info() {},
    warn: (message) => void warnings.push(message),
    error() {},
    child: () => log,
  };
  return { clock, beats, warnings, deps: { http, clock, log } };
}

const fine = async () => ({ status: 200, headers: {}, body: "" });
const options = { url: "https://example.com/alive", intervalMs: 60_000 };

it("beats at once and every interval, until it is stopped", async () => {
  const { clock, beats, deps } = setUp(fine);
  const stop = startHeartbeat(options, { ...deps, isAlive: () => true });
  expect(beats.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET https://example.com/alive",
  ]);
  await clock.advance(120_000);
  expect(beats).toHaveLength(3);
  stop();
  await clock.advance(600_000);
  expect([beats.length, clock.pending()]).toEqual([3, 0]);
});

it("falls silent while the daemon makes no progress, and beats again when it does", async () => {
  const { clock, beats, deps } = setUp(fine);
  let isAlive = true;
  const stop = startHeartbeat(options, { ...deps, isAlive: () => isAlive });
  isAlive = false;
  await clock.advance(600_000);
  expect(beats).toHaveLength(1);
  isAlive = true;
  await clock.advance(60_000);
  expect(beats).toHaveLength(2);
  stop();
});

it("goes on when the monitor does not answer, and says so in the log", async () => {
  const { clock, beats, warnings, deps } = setUp(async () => Promise.reject(new Error("no route")));
  const stop = startHeartbeat(options, { ...deps, isAlive: () => true });
  await clock.advance(60_000);
  expect([beats.length, warnings.length]).toEqual([2, 2]);
  stop();
});
