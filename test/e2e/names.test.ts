/**
 * Tests names that every object has, such as `constructor`, in a running daemon: as names of
 * everything that has one, and as words of commands and requests.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { runCommand } from "../support/run-command.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, noted } from "./fixture.ts";

cleanUpAfterwards();

const NAMES = ["__proto__", "constructor"];
const COMMANDS = (name: string): readonly (readonly string[])[] => [
  ["status"],
  ["plan"],
  ["budget"],
  ["explain", name],
  ["events", "--watch", name],
  ["events", "--text", name, "--state", name],
  ["silence", "add", `${name}="x"`, `toString=~"${name}"`, "--duration", "1h", "--comment", name],
  ["silence", "list"],
  ["route", "test", `${name}=x`, "constructor=y"],
  ["render", name, "--sink", name],
  ["render", "constructor", "--sink", "valueOf"],
  ["pause", name],
  ["resume", name],
  ["resume", "--sink", name],
  ["dead", "list", "--sink", name],
  ["replay", "--event", name, "--dry-run"],
  ["backfill", name, "--since", "1h", "--dry-run"],
  ["test", name],
  ["test", "--sink", name],
  ["call", name],
  ["call", "info", `--${name}`, "x"],
  [name],
];

it("fault 102: watches, labels, sinks, templates and intervals are named so, and every command and request answers", async () => {
  const folder = makeFolder();
  const sandbox = keep(await startSandboxHere());
  const hook = keep(await startHookReceiver());
  await sandbox.control("accounts", { username: "constructor" });
  await sandbox.control("trends", { woeid: 1, names: ["constructor", "toString", "__proto__"] });
  writeConfig(folder, {
    ...baseConfig(sandbox.url),
    defaults: { watch: { schedule: "@every 1s" } },
    time_intervals: { toString: [{ times: [{ start: "00:00", end: "00:01" }], timezone: "UTC" }] },
    templates: {
      constructor: { events: ["*"], title: "{{ labels.toString }} {{ labels.valueOf }}" },
    },
    watches: {
      constructor: { type: "timeline", accounts: ["constructor"], labels: { toString: "so" } },
      valueOf: { type: "trends", woeid: 1 },
      other: { type: "profile", accounts: ["alice"], labels: { constructor: "y" } },
    },
    sinks: {
      valueOf: { ...hookSink(hook), mute_time_intervals: ["toString"], on_mute: "hold" },
      hasOwnProperty: { type: "console", template: "constructor" },
    },
    route: {
      sink: "hasOwnProperty",
      group_by: ["constructor"],
      group_wait: "1s",
      routes: [
        {
          matchers: ['toString="so"', 'constructor=""'],
          sink: ["valueOf", "hasOwnProperty"],
          dedupe: { key: ["toString", "tweet"], window: "1h" },
        },
        { matchers: ['watch="valueOf"'], sink: "valueOf" },
      ],
    },
  });
  const daemon = await startDaemonHere({ folder });
  for (const watch of ["constructor", "valueOf"]) await noted(daemon, watch);
  await sandbox.control("tweets", {
    username: "constructor",
    text: "constructor __proto__ toString",
  });
  await sandbox.control("trends", { woeid: 1, names: ["toString", "hasOwnProperty"] });
  await until("both alerts", () => hook.events().length >= 2, daemon.err);
  await until(
    "the console",
    () => /\bso\b/.test(daemon.out()),
    () => daemon.out() + daemon.err(),
  );
  const failed: string[] = [];
  for (const name of NAMES) {
    for (const args of COMMANDS(name)) {
      const { code, err, out } = await runCommand(
        [
          ...args,
          ...(args[0] === "call" || (args.length === 1 && args[0] === name)
            ? []
            : ["-c", "watches.yaml"]),
        ],
        { cwd: folder },
      );
      if (code === 70 || /\n\s+at \S+ \(|native code|internal error/.test(err + out))
        failed.push(`${args.join(" ")}: ${code} ${err.slice(0, 300)}`);
    }
    for (const path of [
      `/api/v1/explain/${name}`,
      `/api/v1/events?watch=${name}&${name}=1`,
      `/api/v1/render?watch=${name}&sink=${name}`,
      `/api/v1/dead?sink=${name}`,
      `/events?state=${name}`,
      `/api/v1/${name}`,
    ]) {
      const { status } = await fetch(`${daemon.url}${path}`);
      if (status >= 500) failed.push(`${path}: ${status}`);
    }
    for (const path of [
      `/api/v1/watches/${name}/pause`,
      `/api/v1/watches/${name}/resume`,
      `/api/v1/sinks/${name}/resume`,
      `/api/v1/reload`,
    ]) {
      const { status } = await fetch(`${daemon.url}${path}`, {
        method: "POST",
        body: `{"${name}": {"${name}": 1}}`,
        headers: { "content-type": "application/json" },
      });
      if (status >= 500) failed.push(`POST ${path}: ${status}`);
    }
  }
  expect(failed).toEqual([]);
  for (const path of ["/", "/metrics", "/api/v1/status", "/silences"])
    expect([path, (await fetch(`${daemon.url}${path}`)).status]).toEqual([path, 200]);
  const labelled = hook
    .events()
    .map(({ watch, data }) => [watch, data.trend?.name ?? data.labels.toString]);
  expect(labelled.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual([
    ["constructor", "so"],
    ["valueOf", "hasOwnProperty"],
  ]);
  expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  daemon.kill("SIGTERM");
  expect((await daemon.gone).code).toBe(0);
  expect(
    (await runCommand(["status", "-c", join(folder, "watches.yaml")], { cwd: folder })).code,
  ).not.toBe(70);
});
