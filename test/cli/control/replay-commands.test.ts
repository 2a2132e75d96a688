/**
 * Tests `replay --event` and `replay --since`: first on a prepared state without a daemon, then
 * beside one that delivers what is sent again.
 */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { openStore } from "../../../src/state/open.ts";
import { cleanUpAfterwards, hookSink, keep } from "../../e2e/fixture.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { type HookReceiver, startHookReceiver } from "../../support/hook-receiver.ts";
import { makeEvent } from "../../support/make-event.ts";
import { runCommand } from "../../support/run-command.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { until } from "../../support/until.ts";
import { rememberingLog } from "../../state/temp-state.ts";

cleanUpAfterwards();

const HOUR = 3_600_000;
let folder: string;
let hook: HookReceiver;
const run = (...args: string[]) => runCommand(args, { cwd: folder, env: { USER: "alice" } });

beforeEach(async () => {
  hook = await startHookReceiver().then(keep);
  folder = makeFolder();
  writeConfig(folder, {
    version: 1,
    state: { path: "state.db" },
    server: { listen: "127.0.0.1:0" },
    watches: { quiet: { type: "search", query: "nobody writes this" } },
    sinks: { hook: hookSink(hook), other: hookSink(hook), terminal: { type: "console" } },
    route: { sink: "hook" },
    ops: { sink: "terminal" },
  });
});

/**
 * Prepares alerts that were sent to `hook` this long ago, as messages `sent-0`, `sent-1` … of
 * events `event-0`, `event-1` …
 */
async function prepareSent(...agesMs: number[]): Promise<void> {
  const clock = createSystemClock();
  const store = await openStore({
    path: join(folder, "state.db"),
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
  });
  for (const [index, ageMs] of agesMs.entries()) {
    const atMs = clock.now() - ageMs;
    const event = makeEvent(String(index), {
      id: `event-${index}`,
      watch: "quiet",
      detectedAtMs: atMs,
    });
    const delivery = {
      eventId: event.id,
      sink: "hook",
      groupKey: event.id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: atMs,
    };
    await store.commitPoll({
      atMs,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries: [delivery],
    });
    const { groups } = await store.dueWork({
      nowMs: atMs,
      sinks: ["hook"],
      busy: new Set(),
      limit: 9,
    });
    const deliveryIds = groups.flatMap(({ members }) =>
      members.map(({ deliveryId }) => deliveryId),
    );
    const id = `sent-${index}`;
    await store.seal([
      {
        id,
        sink: "hook",
        groupKey: event.id,
        sealedAtMs: atMs,
        body: "{}",
        deliveryIds,
        throttleKey: null,
      },
    ]);
    await store.record([{ messageId: id, kind: "sent", atMs }]);
  }
  await store.close();
}

const received = () => hook.messages().flatMap(({ events }) => events.map(({ id }) => id));

describe("without a daemon", () => {
  it("one event is sent again at the next start, under a new message id, and the audit says who asked", async () => {
    await prepareSent(HOUR);
    expect(await run("replay", "--event", "event-0")).toEqual({
      code: 0,
      out: "1 alert for hook\n1 alert goes out again at the next start\n",
      err: "",
    });
    expect((await run("replay", "--event", "event-0")).out).toBe(
      "1 alert not sent yet: left as it is\nnothing to send again\n",
    );
    const daemon = await startDaemonHere({ folder });
    await until("the message", () => hook.messages().length === 1, daemon.err);
    expect(hook.messages()[0]?.id).not.toBe("sent-0");
    expect(received()).toEqual(["event-0"]);
    expect((await run("events", "--replays")).out).toMatch(
      /^\S+ \S+ +alice +1 +replay event eventId=event-0$/m,
    );
  });

  it("--since takes what was sent since then, and --dry-run only says so", async () => {
    await prepareSent(3 * HOUR, HOUR, 60_000);
    expect(await run("replay", "--since", "2h", "--dry-run")).toEqual({
      code: 0,
      out: "2 alerts for hook\n",
      err: "",
    });
    expect((await run("replay", "--since", "2h")).out).toContain("2 alerts go out again");
    expect((await run("replay", "--since", "2h", "--dry-run")).out).toBe(
      "2 alerts not sent yet: left as they are\nnothing to send again\n",
    );
  });

  it("--sink sends to a sink that never got the alerts, once", async () => {
    await prepareSent(HOUR, HOUR);
    expect((await run("replay", "--since", "2h", "--sink", "other")).out).toContain(
      "2 alerts go out again",
    );
    expect((await run("replay", "--since", "2h", "--sink", "other")).out).toContain(
      "nothing to send again",
    );
    expect(
      JSON.parse((await run("events", "--json")).out).events.map((one: any) => one.deliveries),
    ).toEqual(
      ["event-1", "event-0"].map(() => [
        { sink: "hook", state: "sent" },
        { sink: "other", state: "waiting" },
      ]),
    );
  });

  it("more than twenty want a yes", async () => {
    await prepareSent(...Array.from({ length: 21 }, () => HOUR));
    const unsure = await run("replay", "--since", "2h");
    expect(unsure).toMatchObject({
      code: 2,
      err: "there is no terminal to ask on: add --yes to send them, or --dry-run to only see them\n",
    });
    expect((await run("replay", "--since", "2h", "--yes")).out).toContain("21 alerts go out again");
  });

  it("bad input is refused with what to write instead", async () => {
    await prepareSent(HOUR);
    expect(await run("replay", "--event", "event-9")).toEqual({
      code: 1,
      out: "",
      err: 'there is no event "event-9"\nchirpwatch events --json and chirpwatch explain show the ids; events older than state.retention are deleted\n',
    });
    expect(await run("replay", "--since", "yesterday")).toEqual({
      code: 2,
      out: "",
      err: 'since must be a time like 2026-07-27T09:00:00Z or 2026-07-27, or how long ago, like 2h, not "yesterday"\nchirpwatch replay --help shows examples\n',
    });
    expect(await run("replay", "--since", "2h", "--sink", "hok")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Did you mean hook?"),
    });
    expect(await run("replay", "--since", "2h", "--event", "event-0")).toMatchObject({ code: 2 });
    expect(await run("events", "--replays", "--since", "2h")).toMatchObject({ code: 2 });
    expect((await run("events", "--replays")).out).toBe("Nothing was sent again.\n");
  });
});

it("beside a daemon it happens at once, as often as it is asked for", async () => {
  await prepareSent(HOUR);
  const daemon = await startDaemonHere({ folder });
  for (const times of [1, 2]) {
    expect((await run("replay", "--event", "event-0")).out).toContain("1 alert goes out again now");
    await until("the message", () => hook.messages().length === times, daemon.err);
    await until(
      "its result",
      async () => (await run("events", "--state", "sent")).out.includes("hook: sent"),
      daemon.err,
    );
  }
  expect(new Set(hook.messages().map(({ id }) => id)).size).toBe(2);
  expect(JSON.parse((await run("events", "--replays", "--json")).out).replays).toMatchObject([
    { action: "replay event", detail: { by: "alice", alerts: 1 } },
    { action: "replay event", detail: { by: "alice", alerts: 1 } },
  ]);
});
