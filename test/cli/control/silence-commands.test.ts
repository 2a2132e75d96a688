/**
 * Tests `silence add`, `list`, `expire` and `replay --silenced`: without a daemon, then beside one.
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

let folder: string;
let hook: HookReceiver;
const run = (...args: string[]) => runCommand(args, { cwd: folder, env: { USER: "alice" } });
const add = (...args: string[]) =>
  run("silence", "add", ...args, "--comment", "launch day", "--author", "alice");

beforeEach(async () => {
  hook = await startHookReceiver().then(keep);
  folder = makeFolder();
  writeConfig(folder, {
    version: 1,
    state: { path: "state.db" },
    server: { listen: "127.0.0.1:0" },
    watches: { quiet: { type: "search", query: "nobody writes this", labels: { team: "comms" } } },
    sinks: { hook: hookSink(hook), other: hookSink(hook), terminal: { type: "console" } },
    route: { sink: ["hook", "other"] },
    ops: { sink: "terminal" },
  });
});

/** Prepares alerts of `quiet` at the sink `hook` that silence 1 holds back. */
async function prepareSilenced(count: number): Promise<void> {
  const clock = createSystemClock();
  const store = await openStore({
    path: join(folder, "state.db"),
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
  });
  const nowMs = clock.now();
  const silence = {
    matchers: ['watch="quiet"'],
    startsAtMs: nowMs,
    endsAtMs: nowMs + 3_600_000,
    author: "alice",
    comment: "launch day",
  };
  await store.addSilence(silence);
  const events = Array.from({ length: count }, (_, index) =>
    makeEvent(String(index), { watch: "quiet", detectedAtMs: nowMs }),
  );
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: nowMs };
  const deliveries = events.map(({ id }) => ({
    eventId: id,
    sink: "hook",
    groupKey: id,
    ...timing,
    silencedBy: "1",
  }));
  await store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events, deliveries });
  await store.close();
}

describe("without a daemon", () => {
  it("a silence is added for the next start, listed and ended", async () => {
    await prepareSilenced(2);
    const added = await add('watch="quiet"', "team=~com.*", "--duration", "2h");
    expect(added).toMatchObject({ code: 0, err: "" });
    expect(added.out).toMatch(
      /^silence 2 holds back alerts with watch="quiet", team=~com\.\* until \d{4}-\d\d-\d\d \d\d:\d\d UTC \(in 2h\); takes effect at the next start$/m,
    );
    expect(added.out).toMatch(
      /^no event of the last 24 hours matches: check the labels with chirpwatch events --json$/m,
    );
    expect((await add("watch=quiet", "--duration", "1d")).out).toMatch(
      /^2 events of the last 24 hours match$/m,
    );
    expect((await run("silence", "list")).out).toMatch(
      /^ +1 +watch="quiet" +\S+ \S+ UTC \(in [56]\dm\) +alice +launch day +2$/m,
    );
    expect((await run("status")).out).toMatch(
      /^ +2 +watch="quiet", team=~com\.\* +.+ +alice +launch day +0$/m,
    );
    expect(await run("silence", "expire", "1", "3")).toEqual({
      code: 0,
      out: "silence 1 ended; takes effect at the next start; 2 alerts held back: chirpwatch replay --silenced --silence 1\nsilence 3 ended; takes effect at the next start\n",
      err: "",
    });
    const ids = async (...flags: string[]) =>
      JSON.parse((await run("silence", "list", "--json", ...flags)).out).silences.map(
        (one: any) => [one.id, one.state],
      );
    expect(await ids()).toEqual([["2", "active"]]);
    expect(await ids("--expired")).toEqual([
      ["1", "expired"],
      ["2", "active"],
      ["3", "expired"],
    ]);
  });

  it("an id that is none ends no silence, and says which there are", async () => {
    await prepareSilenced(1);
    expect(await run("silence", "expire", "1", "7", "x")).toEqual({
      code: 1,
      out: "",
      err: 'there is no silence "7", "x"\nKnown silences: 1\n',
    });
    expect((await run("silence", "list")).out).toMatch(/\(in [56]\dm\)/);
  });

  it("bad input is refused with all that is wrong with it, and what to write instead", async () => {
    await prepareSilenced(1);
    expect(await run("silence", "add")).toEqual({
      code: 2,
      out: "",
      err: [
        'name the alerts to silence with at least one matcher, like watch="quiet"',
        "the comment is missing: write why, for people who see the silence later",
        "the duration is missing: write how long to silence, like 30m, 2h or 3d",
        "chirpwatch silence add --help shows examples\n",
      ].join("\n"),
    });
    const bad = [
      [["watch=quite", "--duration", "1h"], 'no watch is called "quite"; did you mean `quiet`?'],
      [
        ["type=serach", "--duration", "1h"],
        'no watch type is called "serach"; did you mean `search`?',
      ],
      [["tem=comms", "--duration", "1h"], 'no event has a label "tem"; did you mean `team`?'],
      [
        ["team==comms", "--duration", "1h"],
        '"team==comms" uses ==: write a single =, like team="comms"',
      ],
      [
        ["team=comms", "--duration", "1 hour"],
        'the duration must be a time like 30m, 2h or 3d, not "1 hour"',
      ],
      [
        ["team=comms", "--duration", "0h"],
        "a silence of 0h is too short to hold anything back: write a longer duration, like 30m, 2h or 3d",
      ],
      [
        ["team=comms", "--duration", "366d"],
        "a silence may last 365d at most, not 366d: disable the watch instead",
      ],
    ] as const;
    for (const [args, message] of bad)
      expect(await add(...args)).toEqual({
        code: 2,
        out: "",
        err: `${message}\nchirpwatch silence add --help shows examples\n`,
      });
    const long = await run(
      "silence",
      "add",
      "team=comms",
      "--duration",
      "1h",
      "--comment",
      "x".repeat(501),
    );
    expect(long.err).toContain("the comment has 501 characters: write at most 500");
  });

  it("replay says what it would send, asks above 20, and is kept for the next start", async () => {
    expect(await run("replay")).toMatchObject({
      code: 2,
      err: "say what to send: --dead, --silenced, --event or --since\n",
    });
    await prepareSilenced(21);
    const what = 'silence 1 (watch="quiet"; launch day): 21 alerts for hook\n';
    expect(await run("replay", "--silenced", "--dry-run")).toEqual({ code: 0, out: what, err: "" });
    expect(await run("replay", "--silenced")).toMatchObject({ code: 2, out: what });
    expect(await run("replay", "--silenced", "--sink", "other")).toMatchObject({
      out: "nothing to send: no alerts are silenced\n",
    });
    expect(await run("replay", "--silenced", "--sink", "hok")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Did you mean hook?"),
    });
    expect(await run("replay", "--silence", "9")).toMatchObject({
      code: 1,
      err: 'there is no silence "9"\nKnown silences: 1\n',
    });
    const { out } = await run("replay", "--silence", "1", "--yes");
    expect(out).toBe(`${what}21 alerts go out at the next start\n`);
    expect((await run("events", "--replays")).out).toMatch(
      /^\S+ \S+ +alice +21 +replay silenced /m,
    );
    const daemon = await startDaemonHere({ folder });
    await until("all", () => hook.messages().length >= 21, daemon.err);
    expect(new Set(hook.messages().map(({ events }) => events[0]?.id)).size).toBe(21);
  });
});

it("beside a daemon all of it happens at once", async () => {
  await prepareSilenced(2);
  const daemon = await startDaemonHere({ folder });
  expect((await daemon.status()).silences).toMatchObject([
    { id: "1", silenced: [{ sink: "hook", alerts: 2 }] },
  ]);
  const { out } = await run(
    "silence",
    "add",
    "team=comms",
    "--duration",
    "1h",
    "--comment",
    "x",
    "--json",
  );
  expect(JSON.parse(out)).toMatchObject({
    id: "2",
    state: "active",
    matchers: ["team=comms"],
    matching_24h: 0,
  });
  expect(await run("silence", "add", "tem=comms", "--comment", "x")).toEqual({
    code: 2,
    out: "",
    err:
      'no event has a label "tem"; did you mean `team`?\nthe duration is missing: write how long to silence, like 30m, 2h or 3d\n' +
      "chirpwatch silence add --help shows examples\n",
  });
  expect(await run("silence", "expire", "2")).toMatchObject({
    code: 0,
    out: "silence 2 ended; takes effect now\n",
  });
  expect((await run("silence", "list")).out).toMatch(/^ +1 +watch="quiet"/m);
  expect((await run("replay", "--silenced")).out).toMatch(/\n2 alerts go out now\n$/);
  expect((await run("events", "--replays")).out).toMatch(/^\S+ \S+ +alice +2 +replay silenced /m);
  await until("both", () => hook.messages().length === 2, daemon.err);
  expect((await run("replay", "--silenced")).out).toBe("nothing to send: no alerts are silenced\n");
});
