/**
 * Tests the command as a container's first process, for which the system has no default handling of
 * signals. Needs `unshare` and the right to use it.
 */
import { spawnSync } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { BIN, cleanUp, makeFolder } from "../support/bin-process.ts";
import { skipAloud } from "../support/skip-aloud.ts";

const AS_FIRST = ["--map-root-user", "--pid", "--fork", "--kill-child"];
const WATCHES = {
  watches: { a: { type: "search", query: "acme" } },
  sinks: { c: { type: "console" } },
  server: { listen: "127.0.0.1:0" },
};
/**
 * Sends itself SIGTERM as soon as anything listens for signals, which can be before the commands
 * are loaded.
 */
const STOP_AT_ONCE = `process.on("newListener", function stop(name) {
  if (name !== "SIGTERM") return;
  process.off("newListener", stop);
  queueMicrotask(() => process.kill(process.pid, name));
})`;

afterEach(cleanUp);

it("stops in order at a signal that comes while its modules load", (context) => {
  if (spawnSync("unshare", [...AS_FIRST, "true"]).status !== 0)
    skipAloud(context, "no PID namespace may be made here");
  const command = [
    process.execPath,
    "--import",
    `data:text/javascript,${encodeURIComponent(STOP_AT_ONCE)}`,
    BIN,
    "run",
  ];
  const cwd = makeFolder({ "watches.yaml": JSON.stringify(WATCHES) });
  const { status, stderr } = spawnSync("unshare", [...AS_FIRST, ...command], {
    cwd,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/"msg":"stopped"\}\n$/);
});
