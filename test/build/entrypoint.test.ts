/** Tests the script that is process 1 of the image. */
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { cleanUp, makeFolder } from "../support/bin-process.ts";
import { skipAloud } from "../support/skip-aloud.ts";

const SCRIPT = readFileSync(resolve(import.meta.dirname, "../../config/entrypoint.sh"), "utf8");
const NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;
afterEach(cleanUp);

/** Runs the script with a stand-in for the program. */
function run(program: string, before: readonly string[] = [], input = "") {
  const folder = makeFolder({ "main.js": program });
  const script = makeFolder({
    "entrypoint.sh": SCRIPT.replace("/app/dist/main.js", join(folder, "main.js")),
  });
  const path = join(script, "entrypoint.sh");
  chmodSync(path, 0o755);
  const [command, ...args] = [...before, path, "plan", "a b"];
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    input,
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

it("hands arguments, input and exit code through", () => {
  const program =
    'process.stdin.on("data", (text) => { console.log(process.argv.slice(2), String(text)); process.exitCode = 78; });';
  expect(run(program, [], "version: 1")).toEqual({
    status: 78,
    stdout: "[ 'plan', 'a b' ] version: 1\n",
    stderr: "",
  });
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"])(
  "passes %s on, waits for the program's end and ends as it does",
  (signal) => {
    const program = `process.on("${signal}", () => setImmediate(() => process.exit(9))); process.kill(process.ppid, "${signal}"); setInterval(() => {}, 1e3);`;
    expect(run(program)).toEqual({ status: 9, stdout: "", stderr: "" });
  },
);

it("handles a stop as process 1 before the program can", (context) => {
  if (spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "true"]).status !== 0)
    skipAloud(context, "process namespaces need root and unshare");
  expect(
    run('process.kill(1, "SIGTERM"); setTimeout(() => process.exit(3), 5_000);', NAMESPACE).status,
  ).toBe(143);
});
