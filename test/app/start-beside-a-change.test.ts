/**
 * Tests a daemon that starts while a command changes the state: it waits for the command, and works
 * with what that wrote.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { openStore } from "../../src/state/open.ts";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { makeFolder } from "../support/bin-process.ts";
import { startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { hurryCommand, startCommand } from "../support/run-command.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { rememberingLog } from "../state/temp-state.ts";

cleanUpAfterwards();

function prepare() {
  const folder = makeFolder();
  const path = join(folder, "state.db");
  writeConfig(folder, {
    version: 1,
    state: { path },
    server: { listen: "127.0.0.1:0" },
    watches: { quiet: { type: "search", query: "nobody writes this" } },
    sinks: { terminal: { type: "console" } },
    ops: { sink: "terminal" },
  });
  return {
    folder,
    options: {
      path,
      clock: createSystemClock(),
      random: createSeededRandom(1),
      log: rememberingLog(),
    },
  };
}

it("a daemon waits for a command that changes the state, and knows of the change", async () => {
  const { folder, options } = prepare();
  await (await openStore(options)).close();
  const change = await openStore({ ...options, changing: true });
  const starting = startDaemonHere({ folder });
  const nowMs = options.clock.now();
  await change.addSilence({
    matchers: ["watch=quiet"],
    startsAtMs: nowMs,
    endsAtMs: nowMs + 3_600_000,
    author: "a",
    comment: "c",
  });
  await change.close();
  const daemon = await starting;
  expect((await daemon.status()).silences).toMatchObject([{ matchers: ["watch=quiet"] }]);
});

it("a daemon ends with 75 where a command holds the state for longer than five seconds", async () => {
  const { folder, options } = prepare();
  const change = await openStore({ ...options, changing: true });
  const ended = await hurryCommand(["run", "-c", join(folder, "watches.yaml")]).ended();
  expect(ended).toMatchObject({
    code: 75,
    err: expect.stringContaining("Another chirpwatch is running on "),
  });
  await change.close();
});

it("a second daemon ends with 75 at once, on a clock that stands still", async () => {
  const { folder } = prepare();
  await startDaemonHere({ folder });
  const clock = createVirtualClock(Date.now(), async () => undefined);
  const second = await startCommand(["run", "-c", join(folder, "watches.yaml")], {}, clock).gone;
  expect(second).toMatchObject({
    code: 75,
    err: expect.stringContaining("Another chirpwatch is running on "),
  });
});
