/** Tests `ack`: first without a daemon on a prepared state, then beside one. */
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { openStore } from "../../../src/state/open.ts";
import { cleanUpAfterwards } from "../../e2e/fixture.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { makeEvent } from "../../support/make-event.ts";
import { runCommand } from "../../support/run-command.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { rememberingLog } from "../../state/temp-state.ts";

cleanUpAfterwards();

let folder: string;
const run = (...args: string[]) => runCommand(args, { cwd: folder, env: { USER: "alice" } });

beforeEach(async () => {
  folder = makeFolder();
  writeConfig(folder, {
    version: 1,
    state: { path: "state.db" },
    server: { listen: "127.0.0.1:0" },
    watches: { quiet: { type: "search", query: "nobody writes this", sink: "terminal" } },
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
  const event = makeEvent("1", { id: "e1", watch: "quiet", detectedAtMs: clock.now() });
  const nothing = { targets: [], verdicts: [], deliveries: [] };
  await store.commitPoll({ ...nothing, atMs: clock.now(), events: [event] });
  await store.close();
});

const AT = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;

it.each([
  ["without a daemon", false],
  ["beside one", true],
])("an alert is acknowledged, again, undone and again, by name: %s", async (_, isRunning) => {
  if (isRunning) await startDaemonHere({ folder });
  const done = (text: string) => ({
    code: 0,
    out: expect.stringMatching(new RegExp(`^${text}\n$`)),
    err: "",
  });
  const by = (name: string) => String.raw`by ${name}, ${AT} \(command line\)`;
  expect(await run("ack", "e1")).toEqual(done(`1 alert acknowledged ${by("alice")}`));
  expect(await run("ack", "e1", "--by", "Ada")).toEqual(
    done(`nothing was changed: already acknowledged ${by("alice")}`),
  );
  expect((await run("events", "--acknowledged", "yes")).out).toMatch(
    new RegExp(`no sink, acknowledged ${by("alice")}`),
  );
  expect((await run("events", "--acknowledged", "no", "--alerts")).out).toBe("No event matches.\n");
  expect((await run("explain", "1")).out).toMatch(new RegExp(`^  ack      ${by("alice")}$`, "m"));
  expect(await run("ack", "e1", "--undo")).toEqual(done("acknowledgement of 1 alert undone"));
  expect(await run("ack", "e1", "--undo")).toEqual(
    done("nothing was changed: nobody has acknowledged it"),
  );
  const view = JSON.parse((await run("ack", "e1", "--by", "Ada", "--json")).out);
  expect(view).toMatchObject({ changed: 1, acknowledged: { by: "Ada", from: "command line" } });
});

it("an id that the state does not have is an error that says so", async () => {
  const { code, err } = await run("ack", "e2");
  expect(code).toBe(1);
  expect(err).toContain(
    'there is no event and no message with alerts "e2": the id is wrong, or the state no longer keeps it',
  );
});

it("a filter that is neither yes nor no is an error of usage", async () => {
  expect(await run("events", "--acknowledged", "maybe")).toMatchObject({
    code: 2,
    err: expect.stringContaining('acknowledged must be yes or no, not "maybe"'),
  });
});
