/**
 * Tests `status` without a daemon: it shows what the state holds, and nothing that only a daemon
 * knows.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { openStore } from "../../../src/state/open.ts";
import { cleanUpAfterwards } from "../../e2e/fixture.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { writeConfig } from "../../support/daemon-process.ts";
import { runCommand } from "../../support/run-command.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

cleanUpAfterwards();

it("has what was spent, the watches that are enabled and the silences that hold, and no forecast", async () => {
  const folder = makeFolder();
  const quiet = { type: "search", query: "nobody writes this" };
  writeConfig(folder, {
    version: 1,
    state: { path: "state.db" },
    watches: { quiet, off: { ...quiet, enabled: false } },
    sinks: { terminal: { type: "console" } },
    ops: { sink: "terminal" },
  });
  const clock = createSystemClock();
  const store = await openStore({
    path: join(folder, "state.db"),
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
  });
  const atMs = clock.now();
  const request = {
    endpoint: "search-tweets",
    billed: true,
    atMs,
    rate: { count: 9, intervalMs: 1 },
    holdMs: 1,
  };
  for (const watch of ["quiet", "quiet", "off"]) await store.reserve({ ...request, watch });
  const silence = { matchers: ["watch=quiet"], startsAtMs: atMs - 2, author: "", comment: "" };
  await store.addSilence({ ...silence, endsAtMs: atMs - 1 });
  await store.addSilence({ ...silence, endsAtMs: atMs + 3_600_000 });
  await store.close();
  const view = JSON.parse((await runCommand(["status", "--json"], { cwd: folder })).out);
  expect(view).toMatchObject({
    state: "not_running",
    reasons: ["no daemon is running on this state: start it with chirpwatch run"],
    quota: { spent: 3, forecast: null, expected: null },
    watches: [{ id: "quiet", requests_spent: 2 }],
    silences: [{ id: "2" }],
  });
});
