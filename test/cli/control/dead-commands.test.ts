/**
 * Tests `dead list`, `dead ack` and `replay --dead`: first without a daemon on a prepared state,
 * then beside one that delivers what is sent again.
 */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { DeadCause } from "../../../src/model/dead-letters.ts";
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
    sinks: {
      hook: { ...hookSink(hook), retry_for: "24h" },
      other: { ...hookSink(hook) },
      terminal: { type: "console" },
    },
    route: { sink: ["hook", "other"] },
    ops: { sink: "terminal" },
  });
  await prepareDead();
});

/** A message that expired, one that was refused, and one of a sink that is gone. */
const DEAD: readonly {
  readonly id: string;
  readonly sink: string;
  readonly error: string;
  readonly cause: DeadCause;
}[] = [
  { id: "expired-1", sink: "hook", error: "the webhook answered 503", cause: "expired" },
  { id: "refused-1", sink: "other", error: "the webhook answered 400", cause: "refused 400" },
  { id: "gone-1", sink: "former", error: "the webhook answered 400", cause: "refused 400" },
];

async function prepareDead(dead = DEAD): Promise<void> {
  const clock = createSystemClock();
  const store = await openStore({
    path: join(folder, "state.db"),
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
  });
  const nowMs = clock.now();
  for (const { id, sink, error, cause } of dead) {
    const event = makeEvent(`10${id.length}`, { id: `event-${id}`, watch: "quiet" });
    const delivery = {
      eventId: event.id,
      sink,
      groupKey: event.id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: nowMs,
    };
    await store.commitPoll({
      atMs: nowMs,
      targets: [],
      verdicts: [],
      events: [event],
      deliveries: [delivery],
    });
    const { groups } = await store.dueWork({ nowMs, sinks: [sink], busy: new Set(), limit: 9 });
    const deliveryIds = groups.flatMap(({ members }) =>
      members.map(({ deliveryId }) => deliveryId),
    );
    const body = JSON.stringify({ type: "tweet.created", data: { id: event.id } });
    await store.seal([
      { id, sink, groupKey: event.id, sealedAtMs: nowMs, body, deliveryIds, throttleKey: null },
    ]);
    await store.record([
      { messageId: id, kind: "dead", atMs: nowMs, error, cause, countAttempt: true },
    ]);
  }
  await store.close();
}

describe("without a daemon", () => {
  it("list says why, what it was and what can be done; --sink narrows it, --json has it all", async () => {
    const { code, out, err } = await run("dead", "list");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(
      "1 alert for hook was given up after 24h (retry_for): the webhook answered 503\n",
    );
    expect(out).toContain("1 alert for other was refused for good: the webhook answered 400\n");
    expect(out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +hook +expired-1 +quiet +.+ posted +https:\/\/x.com\/.+\/status\/109$/m,
    );
    expect(out).toContain(
      "Send them again: chirpwatch replay --dead. Accept the loss: chirpwatch dead ack.",
    );
    const own = await run("dead", "list", "--sink", "hook");
    expect(own.out).not.toContain("other");
    const json = JSON.parse((await run("dead", "list", "--json")).out);
    expect(
      json.dead.map((letter: any) => [letter.message_id, letter.cause, letter.alerts[0].id]),
    ).toEqual([
      ["expired-1", "expired", "event-expired-1"],
      ["refused-1", "refused 400", "event-refused-1"],
      ["gone-1", "refused 400", "event-gone-1"],
    ]);
  });

  it("status says of each sink how many were given up", async () => {
    expect((await run("status")).out).toMatch(
      /^ {2}1 alert for hook was given up after 24h \(retry_for\): the webhook answered 503 \(chirpwatch dead list\)$/m,
    );
  });

  it("a sink that is none is an error that names the nearest", async () => {
    for (const args of [
      ["dead", "list"],
      ["dead", "ack"],
      ["replay", "--dead", "--yes"],
    ])
      expect(await run(...args, "--sink", "hok")).toEqual({
        code: 1,
        out: "",
        err: 'there is no sink "hok"\nDid you mean hook? Known names: hook, other, terminal\n',
      });
  });

  it("ack accepts the loss, of one sink or of all", async () => {
    expect(await run("dead", "ack", "--sink", "hook")).toMatchObject({
      code: 0,
      out: "1 dead letter for hook acknowledged\n",
    });
    expect(await run("dead", "ack", "--sink", "hook")).toMatchObject({
      out: "nothing to acknowledge: no dead letters for hook\n",
    });
    expect(await run("dead", "ack")).toMatchObject({ out: "2 dead letters acknowledged\n" });
    expect((await run("dead", "list")).out).toBe(
      "No dead letters: every alert was delivered, is waiting, or was acknowledged as lost.\n",
    );
  });

  it("replay wants to know what, says what it would do, and asks above 20", async () => {
    expect(await run("replay")).toMatchObject({
      code: 2,
      err: "say what to send: --dead, --silenced, --event or --since\n",
    });
    const dry = await run("replay", "--dead", "--dry-run");
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out.split("\n")).toEqual([
      expect.stringMatching(/hook.*: sent again with the same ids$/),
      expect.stringMatching(/other.*: rendered again, sent with new message ids$/),
      expect.stringMatching(/former.*: kept, because the configuration has no sink former$/),
      "",
    ]);
    await prepareDead(
      Array.from({ length: 19 }, (_, i) => ({
        id: `more-${i}`,
        sink: "hook",
        error: "503",
        cause: "expired",
      })),
    );
    const unsure = await run("replay", "--dead");
    expect(unsure).toMatchObject({
      code: 2,
      err: "there is no terminal to ask on: add --yes to send them, or --dry-run to only see them\n",
    });
    expect(JSON.parse((await run("dead", "list", "--json")).out).dead).toHaveLength(22);
    expect((await run("replay", "--dead", "--sink", "hook")).out).toMatch(
      /\n20 alerts go out again at the next start/,
    );
  });

  it("replay is kept for the next start: expired ones with the same id and body, refused ones under a new id", async () => {
    const { code, out } = await run("replay", "--dead", "--yes");
    expect([code, out.split("\n").at(-2)]).toEqual([0, "2 alerts go out again at the next start"]);
    expect((await run("events", "--replays")).out).toMatch(/^\S+ \S+ +alice +2 +replay dead /m);
    const daemon = await startDaemonHere({ folder });
    await until("both", () => hook.messages().length >= 2, daemon.err);
    const byEvent = new Map(hook.messages().map((message) => [message.events[0]?.id, message]));
    expect(byEvent.get("event-expired-1")).toMatchObject({
      id: "expired-1",
      body: '{"type":"tweet.created","data":{"id":"event-expired-1"}}',
    });
    expect(byEvent.get("event-refused-1")?.id).not.toBe("refused-1");
    expect(byEvent.has("event-gone-1")).toBe(false);
  });
});

it("beside a daemon all of it happens at once", async () => {
  const daemon = await startDaemonHere({ folder });
  expect((await daemon.status()).state).toBe("degraded");
  expect((await run("status")).out).toMatch(
    /^ {2}1 alert for hook was given up after 24h \(retry_for\): the webhook answered 503 \(chirpwatch dead list\)$/m,
  );
  expect((await run("health")).code).toBe(0);
  expect((await run("dead", "list", "--sink", "hook")).out).toContain("expired-1");
  expect(await run("replay", "--dead", "--sink", "hook", "--yes")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\n1 alert goes out again now\n$/) as string,
  });
  expect((await run("events", "--replays")).out).toMatch(/^\S+ \S+ +alice +1 +replay dead /m);
  await until("the message", () => hook.messages().length === 1, daemon.err);
  expect(hook.messages()[0]?.id).toBe("expired-1");
  expect(await run("dead", "ack")).toMatchObject({ out: "2 dead letters acknowledged\n" });
  await until("all well", async () => (await daemon.status()).state === "running");
});
