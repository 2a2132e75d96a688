/** Tests which profiles are cached, and for how long. */
import { expect, it } from "vitest";
import { createProfiles } from "../../src/requests/profiles.ts";
import { RequestHeld } from "../../src/requests/request-held.ts";
import type { GateRequest } from "../../src/requests/reservation.ts";
import { UpstreamError } from "../../src/model/upstream.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { makeUser } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const DAY = 86_400_000;
const users = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => makeUser(String(from + i), `user${from + i}`));

function setup() {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const asked: GateRequest[] = [];
  const request = async (wanted: GateRequest) => {
    asked.push(wanted);
    return { users: [] };
  };
  const gate = {
    request,
    tryAtOnce: () => undefined,
    keyRefused: async () => undefined,
    close: () => undefined,
    abort: () => undefined,
  };
  return { clock, asked, profiles: createProfiles(gate, clock, rememberingLog()) };
}

it("keeps the profiles of ten thousand accounts that are asked for again and again", async () => {
  const { clock, asked, profiles } = setup();
  for (let round = 0; round < 3; round += 1) {
    for (let from = 1; from <= 10_000; from += 100) profiles.learn(users(from, 100));
    await clock.advance(60_000);
  }
  profiles.learn(users(1, 100));
  for (const id of ["1", "5000", "10000"]) expect((await profiles.profileOf(id, "w"))?.id).toBe(id);
  expect(asked).toEqual([]);
});

it("gives up the oldest where there are too many, and those that nobody learned for a day", async () => {
  const { clock, profiles } = setup();
  profiles.learn(users(1, 100));
  await clock.advance(1_000);
  for (let from = 101; from <= 10_000; from += 100) profiles.learn(users(from, 100));
  profiles.learn(users(1, 50));
  profiles.learn(users(20_001, 50));
  const isKept = (id: number) => profiles.recent(String(id), 30 * DAY) !== undefined;
  expect([1, 50, 51, 100, 101, 10_000, 20_050].map(isKept)).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
    true,
  ]);
  await clock.advance(DAY + 1);
  profiles.learn(users(30_001, 1));
  expect([1, 10_000, 20_050, 30_001].map(isKept)).toEqual([false, false, false, true]);
});

it("warns of a profile that the service does not give, and not of one that waits or is given up at the stop", async () => {
  const log = rememberingLog();
  let error: Error = new RequestHeld("closed", "the daemon is stopping");
  const gate = {
    request: () => Promise.reject(error),
    tryAtOnce: () => undefined,
    keyRefused: async () => undefined,
    close: () => undefined,
    abort: () => undefined,
  };
  const clock = createVirtualClock(Date.UTC(2026, 2, 2));
  const profiles = createProfiles(gate, clock, log);
  const ask = async () => {
    const answer = profiles.profileOf("1", "w");
    await clock.advance(1_000);
    return answer;
  };
  expect(await ask()).toBeUndefined();
  expect(log.lines.map(({ level }) => level)).toEqual(["debug"]);
  error = new UpstreamError("transient", "down");
  expect(await ask()).toBeUndefined();
  expect(log.lines.map(({ level }) => level)).toEqual(["debug", "warn"]);
});
