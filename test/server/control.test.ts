import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callControl } from "../../src/server/control-client.ts";
import { controlSocketPath } from "../../src/server/control-path.ts";
import { startControl, type ControlSocket } from "../../src/server/control-socket.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createDaemonStandIn, NOW_MS, silentLog } from "./daemon-stand-in.ts";

let folder = "";
let state = "";
const running: ControlSocket[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cw-"));
  state = join(folder, "chirpwatch.db");
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((socket) => socket.close()));
  await rm(folder, { recursive: true, force: true });
});

async function start(statePath = state) {
  const daemon = createDaemonStandIn();
  const socket = await startControl(
    { clock: createVirtualClock(NOW_MS), log: silentLog, ...daemon },
    statePath,
  );
  running.push(socket);
  return { daemon, path: socket.path };
}

/** Leaves a socket file that nobody answers, as a killed daemon does. */
function leaveStaleSocket(path: string): void {
  spawnSync(process.execPath, [
    "-e",
    `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`,
  ]);
}

describe("the control socket", () => {
  it("takes commands without a token, from this user only", async () => {
    const { daemon, path } = await start();
    expect(path).toBe(`${state}.sock`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await callControl(path, "POST", "/api/v1/watches/brand-mentions/pause")).toMatchObject({
      status: 200,
      body: { watch: "brand-mentions", paused: true },
    });
    expect((await callControl(path, "GET", "/api/v1/status")).body).toEqual(daemon.status);
    expect((await callControl(path, "GET", "/metrics")).body).toContain("chirpwatch_gaps 0");
    expect((await callControl(path, "GET", "/healthz")).status).toBe(200);
  });

  it("hands the errors of a refused reload to the command", async () => {
    const { daemon, path } = await start();
    daemon.reload = { ok: false, errors: ["watches.yaml:3:1: unknown key"] };
    expect(await callControl(path, "POST", "/api/v1/reload")).toMatchObject({
      status: 422,
      body: { error: { errors: ["watches.yaml:3:1: unknown key"] } },
    });
    expect(daemon.asked).toEqual(["reload by control socket"]);
  });

  it("replaces what a killed daemon left", async () => {
    leaveStaleSocket(`${state}.sock`);
    expect((await stat(`${state}.sock`)).isSocket()).toBe(true);
    const { path } = await start();
    expect((await callControl(path, "GET", "/healthz")).status).toBe(200);
  });

  it("leaves a socket alone that someone answers", async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({ code: "ALREADY_RUNNING", exitCode: 75 });
    expect((await callControl(first.path, "GET", "/healthz")).status).toBe(200);
  });

  it("never removes a file that is no socket", async () => {
    await writeFile(`${state}.sock`, "mine");
    await expect(start()).rejects.toMatchObject({ code: "CONTROL_CANNOT_LISTEN", exitCode: 73 });
    expect((await stat(`${state}.sock`)).size).toBe(4);
  });

  it("says which folder is missing", async () => {
    await expect(start(join(folder, "nowhere", "a.db"))).rejects.toMatchObject({
      code: "CONTROL_CANNOT_LISTEN",
    });
  });

  it("is gone after close", async () => {
    const { path } = await start();
    await running.pop()?.close();
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(callControl(path, "GET", "/healthz")).rejects.toMatchObject({
      code: "CONTROL_NOT_RUNNING",
    });
  });
});

describe("a path too long for a socket", () => {
  const long = () => join(folder, "x".repeat(120), "chirpwatch.db");

  it("becomes a short one, its own for each state, in a folder of this user", () => {
    const path = controlSocketPath(long());
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
    expect(path).toBe(controlSocketPath(long()));
    expect(path).not.toBe(controlSocketPath(join(folder, "y".repeat(120), "chirpwatch.db")));
  });

  it("counts bytes, not letters", () => {
    expect(controlSocketPath(`/${"é".repeat(48)}/a`)).not.toContain("é");
  });

  it("is served and called like any other, in a folder that is private", async () => {
    const { path } = await start(long());
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
    expect((await callControl(controlSocketPath(long()), "GET", "/healthz")).status).toBe(200);
  });

  it("is refused while others may write to that folder", async () => {
    const { path } = await start(long());
    await running.pop()?.close();
    await chmod(join(path, ".."), 0o777);
    try {
      await expect(start(long())).rejects.toMatchObject({ code: "CONTROL_CANNOT_LISTEN" });
    } finally {
      await chmod(join(path, ".."), 0o700);
    }
  });
});

describe("a call", () => {
  it("to a state without a daemon says so", async () => {
    await expect(callControl(`${state}.sock`, "GET", "/healthz")).rejects.toMatchObject({
      code: "CONTROL_NOT_RUNNING",
      retry: "no",
    });
  });

  it("that gets nonsense back fails in one sentence", async () => {
    const server = createServer((socket) => socket.resume().end("nonsense\r\n\r\n")).listen(
      `${state}.sock`,
    );
    await new Promise((resolve) => server.once("listening", resolve));
    await expect(callControl(`${state}.sock`, "GET", "/healthz")).rejects.toMatchObject({
      code: "CONTROL_FAILED",
    });
    await new Promise((resolve) => server.close(resolve));
  });
});
