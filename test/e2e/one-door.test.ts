/**
 * Tests every command that reads or changes the state, beside a daemon here, beside one elsewhere
 * on Postgres, and without one: each prints the same words and has the same effect.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import {
  baseConfig,
  type RunningDaemon,
  startDaemonHere,
  writeConfig,
} from "../support/daemon-process.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Ran, runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, type Fixture, hookSink, noted } from "./fixture.ts";

cleanUpAfterwards();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/**
 * A command and what it prints. ALERT stands for the id of the alert, EFFECT for when the command
 * takes effect and by whom, and ANY for a time or a place.
 */
type Step = readonly [command: string, code: number, out: string, err?: string];

const UNKNOWN_SINK = 'there is no sink "hok"\nDid you mean hook? Known names: hook\n';
const STEPS: readonly Step[] = [
  ["ack ALERT", 0, "1 alert acknowledged by alice, ANY (command line)\n"],
  [
    "ack ALERT --by Bob",
    0,
    "nothing was changed: already acknowledged by alice, ANY (command line)\n",
  ],
  ["ack ALERT --undo", 0, "acknowledgement of 1 alert undone\n"],
  ["ack ALERT --undo", 0, "nothing was changed: nobody has acknowledged it\n"],
  ["not-relevant ALERT", 0, "1 alert marked as not relevant by alice, ANY (command line)\n"],
  [
    "not-relevant ALERT --by Bob",
    0,
    "nothing was changed: already marked as not relevant by alice, ANY (command line)\n",
  ],
  ["not-relevant ALERT --undo", 0, "mark of 1 alert undone\n"],
  ["not-relevant ALERT --undo", 0, "nothing was changed: it is not marked as not relevant\n"],
  [
    "snooze ALERT --for 1h",
    0,
    'alerts with conversation="ANY" are held back at hook until ANY UTC (in ANY); end it: chirpwatch silence expire 1\ntakes effect EFFECT\n',
  ],
  [
    "snooze ALERT --for 1h --by Bob",
    0,
    'nothing was changed: since alice, alerts with conversation="ANY" are held back at hook until ANY; end it: chirpwatch silence expire 1\n',
  ],
  [
    "silence author ALERT",
    0,
    'alerts with author_id="ANY" are held back at hook until ANY UTC (in ANY); end it: chirpwatch silence expire 2\ntakes effect EFFECT\n',
  ],
  [
    "silence author ALERT",
    0,
    'nothing was changed: since alice, alerts with author_id="ANY" are held back at hook until ANY; end it: chirpwatch silence expire 2\n',
  ],
  [
    "snooze ALERT --for 1h --sink hok",
    2,
    "",
    'the alert did not go to the sink "hok", only to hook\nchirpwatch snooze --help shows an example\n',
  ],
  [
    "snooze nothing --for 1h",
    1,
    "",
    'there is no event and no message with alerts "nothing": the id is wrong, or the state no longer keeps it\n',
  ],
  [
    "silence expire 1 2",
    0,
    "snooze 1 ended; takes effect EFFECT\nsilence 2 ended; takes effect EFFECT\n",
  ],
  ["pause one", 0, "one is paused; takes effect EFFECT\n"],
  ["pause on", 1, "", 'there is no watch "on"\nDid you mean one? Known names: one, two\n'],
  [
    "resume one",
    0,
    "one is resumed; what was missed since ANY is sent as one digest to chat sinks and as single events to others; takes effect EFFECT\n",
  ],
  ["resume one --from-now", 1, "", "one is not paused: there is nothing to skip\n"],
  ["resume --sink hook", 0, "hook is not disabled; if it fails, it is tried EFFECT\n"],
  ["resume --sink hok", 1, "", UNKNOWN_SINK],
  [
    "silence add watch=two --duration 2h --comment why",
    0,
    "silence 3 holds back alerts with watch=two until ANY UTC (in 2h); takes effect EFFECT\n" +
      "no event of the last 24 hours matches: check the labels with chirpwatch events --json\nend it: chirpwatch silence expire 3\n",
  ],
  [
    "silence add wach=two --duration 2h --comment why",
    2,
    "",
    'no event has a label "wach"; did you mean `watch`?\nchirpwatch silence add --help shows examples\n',
  ],
  ["silence list", 0, "SILENCE ANY 3 ANY watch=two ANY alice ANY why ANY 0\n"],
  ["silence expire 3", 0, "silence 3 ended; takes effect EFFECT\n"],
  ["silence expire 9", 1, "", 'there is no silence "9"\nKnown silences: 1, 2, 3\n'],
  [
    "dead list",
    0,
    "No dead letters: every alert was delivered, is waiting, or was acknowledged as lost.\n",
  ],
  ["dead list --sink hok", 1, "", UNKNOWN_SINK],
  ["dead ack", 0, "nothing to acknowledge: no dead letters\n"],
  ["replay --dead", 0, "nothing to send again: no dead letters\n"],
  ["replay --silenced", 0, "nothing to send: no alerts are silenced\n"],
  ["replay --since 1h --yes", 0, "1 alert for hook\n1 alert goes out again EFFECT\n"],
  ["replay --event nothing", 1, "", 'there is no event "nothing"\nANY\n'],
  ["events --replays", 0, "ANY alice ANY 1 ANY replay since since=ANY\n"],
  ["events --watch one --limit 1", 0, "ANY"],
  ["explain 1", 1, "one: ANY\ntwo: ANY\n", "1 was never seenANY\n"],
  ["render one --sink hok", 1, "", 'there is no sink "hok"; did you mean `hook`?\n'],
  ["render one --sink hook", 0, "ANY"],
  ["report --watch one --since 24h", 0, "ANY"],
  ["config list", 0, "ANY"],
  ["status", 0, "State: ANY"],
  ["budget", 0, "Period: ANY"],
  ["backfill one --since 1h --yes", 0, "ANY0 alerts go out BACKFILLED; 1 announced before\n"],
];

/**
 * The tests' server does not wait for its disk, and every command on it prints a warning about
 * that.
 */
const FSYNC_WARNING = /^.*"setting":"fsync".*\n/gm;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Runs a step and checks what it prints. `effect` is a pattern. */
function expectStep(
  [command, code, out, err = ""]: Step,
  ran: Ran,
  effect: { readonly now: string; readonly soon: string },
): void {
  const pattern = (text: string) =>
    new RegExp(
      `^${escaped(text)
        .replaceAll(/ *ANY */g, "[^]*?")
        .replaceAll("EFFECT", effect.now)
        .replaceAll("BACKFILLED", effect.soon)}$`,
    );
  const { code: ended, out: printed, err: said } = ran;
  expect({ code: ended, out: printed, err: said.replace(FSYNC_WARNING, "") }, command).toEqual({
    code,
    out: expect.stringMatching(pattern(out)),
    err: expect.stringMatching(pattern(err)),
  });
}

/** A folder for one daemon, as if on a machine of its own. */
function machine({ api, hook }: Fixture, state: object) {
  const folder = makeFolder();
  writeConfig(folder, {
    ...baseConfig(api.url, api.key),
    ...{ state, defaults: { watch: { schedule: "@every 1s" } }, sinks: { hook: hookSink(hook) } },
    watches: Object.fromEntries(
      ["one", "two"].map((query) => [query, { type: "search", query, strategy: "single" }]),
    ),
  });
  return {
    start: () => startDaemonHere({ folder }),
    run: (command: string) =>
      runCommand(command.split(" "), { cwd: folder, env: { USER: "alice" } }),
  };
}

/** Starts a daemon and waits until it has sent one alert. */
async function startWithAlert(
  { start }: ReturnType<typeof machine>,
  { api, hook }: Fixture,
): Promise<RunningDaemon> {
  const daemon = await start();
  await noted(daemon, "one");
  await noted(daemon, "two");
  api.post("search:one", 1);
  await until("the alert", () => hook.messages().length === 1, daemon.err);
  return daemon;
}

/** Returns the id of the event that was sent first. */
const alertOf = ({ hook }: Fixture): string => String(hook.events()[0]?.data["id"] ?? "");

const ELSEWHERE = {
  now: "now, by 127\\.0\\.0\\.1#\\S{4}",
  soon: "within a minute, by 127\\.0\\.0\\.1#\\S{4}",
};
const NOT_HERE: Step = [
  "",
  1,
  "",
  "no daemon is running here on the state ANY\nStart it with `chirpwatch run`.\n",
];
const onlyThere = (command: string): Step => [command, NOT_HERE[1], NOT_HERE[2], NOT_HERE[3] ?? ""];

it("beside a daemon here", async () => {
  const fixture = await createFixture();
  const here = machine(fixture, { path: "state.db" });
  const daemon = await startWithAlert(here, fixture);
  const effect = { now: "now", soon: "within a minute" };
  for (const step of STEPS)
    expectStep(step, await here.run(step[0].replace("ALERT", alertOf(fixture))), effect);
  expectStep(["reload", 0, "configuration unchanged\n"], await here.run("reload"), effect);
  expectStep(["health", 0, "the daemon is healthy\n"], await here.run("health"), effect);
  await until("the alert again", () => fixture.hook.messages().length === 2, daemon.err);
});

it("beside a daemon elsewhere on Postgres", async () => {
  const fixture = await createFixture();
  const state = { url: await server.url() };
  const [there, here] = [machine(fixture, state), machine(fixture, state)];
  const daemon = await startWithAlert(there, fixture);
  for (const step of STEPS)
    expectStep(step, await here.run(step[0].replace("ALERT", alertOf(fixture))), ELSEWHERE);
  const asked =
    "asked 1 replica to read the configuration again; the log of each shows the result\n";
  expectStep(["reload", 0, asked], await here.run("reload"), ELSEWHERE);
  for (const command of ["health", "tail"])
    expectStep(onlyThere(command), await here.run(command), ELSEWHERE);
  await until("the alert again", () => fixture.hook.messages().length === 2, daemon.err);
});

it("without a daemon, on a file", async () => {
  const fixture = await createFixture();
  const here = machine(fixture, { path: "state.db" });
  const daemon = await startWithAlert(here, fixture);
  daemon.kill("SIGTERM");
  await daemon.gone;
  const effect = { now: "at the next start", soon: "at the next start" };
  for (const step of STEPS)
    expectStep(step, await here.run(step[0].replace("ALERT", alertOf(fixture))), effect);
  for (const command of ["reload", "health", "tail"])
    expectStep(onlyThere(command), await here.run(command), effect);
  expect(fixture.hook.messages()).toHaveLength(1);
  const next = await here.start();
  await until("the alert again", () => fixture.hook.messages().length === 2, next.err);
});
