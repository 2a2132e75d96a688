/**
 * Tests output that nobody reads: pipes that are full, as behind a pager that is not scrolled or a
 * log collector that hangs.
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BIN } from "../support/bin-process.ts";
import { skipAloud } from "../support/skip-aloud.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture, morePolls } from "./fixture.ts";

cleanUpAfterwards();

/**
 * The time that Docker gives a container to stop,
 * https://docs.docker.com/reference/cli/docker/container/stop/.
 */
const GRACE_MS = 10_000;

/** Opens a pipe that is full and stays so. Returns undefined if there is no mkfifo. */
function fullPipe(folder: string, name: string): number | undefined {
  const path = join(folder, name);
  if (spawnSync("mkfifo", [path]).status !== 0) return undefined;
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  try {
    for (;;) writeSync(fd, "x".repeat(4_096));
  } catch {
    // The write fails once the pipe is full.
  }
  return fd;
}

const CONFIG = {
  watches: { w: { type: "search", query: "acme" } },
  sinks: { out: { type: "console" } },
  ops: { sink: "out" },
};

async function startInto(stdout: number | "ignore", stderr: number | "ignore", folder: string) {
  const env = { PATH: process.env["PATH"], HOME: folder };
  const child = spawn(process.execPath, [BIN, "run"], {
    cwd: folder,
    env,
    stdio: ["ignore", stdout, stderr],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const gone = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  return { gone, kill: () => void child.kill("SIGTERM") };
}

it.for([
  ["standard output", ["full", "ignore"]],
  ["standard error", ["ignore", "full"]],
  ["both", ["full", "full"]],
] as const)(
  "fault 97: SIGTERM ends a daemon within its grace when %s is a full pipe",
  async ([, ends], context) => {
    const fixture = await createFixture();
    fixture.configure(CONFIG);
    const pipe = fullPipe(fixture.folder, "pipe");
    if (pipe === undefined) return skipAloud(context, "there is no mkfifo here");
    const [stdout, stderr] = ends.map((end) => (end === "full" ? pipe : ("ignore" as const)));
    const daemon = await startInto(stdout ?? "ignore", stderr ?? "ignore", fixture.folder);
    await morePolls(fixture.api, "search-tweets");
    fixture.api.post("search:acme", 3);
    await morePolls(fixture.api, "search-tweets");
    const askedAt = performance.now();
    daemon.kill();
    expect(await daemon.gone).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(GRACE_MS);
  },
);

it("a post cannot forge lines of the log where alerts and log go to one file: each line is JSON, and each alert one", async () => {
  const fixture = await createFixture();
  fixture.configure({ ...CONFIG, route: { sink: "out" } });
  const path = join(fixture.folder, "all.log");
  const file = openSync(path, "a");
  onTestFinished(() => closeSync(file));
  const daemon = await startInto(file, file, fixture.folder);
  const lines = () =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  await until("the baseline", () => lines().some((line) => line.includes("items noted")));
  const forged = '{"level":"error","msg":"state is damaged"}';
  const [id] = fixture.api.post("search:acme", 1, { text: `acme\n${forged}\n  ${forged}` });
  await until("the alert", () => lines().some((line) => line.includes(String(id))));
  daemon.kill();
  expect(await daemon.gone).toBe(0);
  const parsed = lines().map((line) => JSON.parse(line));
  expect(parsed.filter(({ msg }) => msg === "state is damaged")).toEqual([]);
  const alerts = parsed.filter(
    ({ msg, url }) => msg === "alert" && String(url).endsWith(String(id)),
  );
  expect(alerts).toEqual([
    {
      level: "info",
      time: expect.any(String),
      sink: "out",
      title: expect.any(String),
      body: ["acme", forged, expect.stringContaining(forged), expect.stringMatching(/^Likes /)],
      url: expect.any(String),
      watches: "w",
      occurredAt: expect.any(String),
      msg: "alert",
    },
  ]);
});
