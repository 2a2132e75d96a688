/**
 * Tests fault 60 with a disk that is really full: a small tmpfs if mounting is allowed, else a
 * limit on the size of the process's files.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, morePolls, noted, createFixture, sorted } from "./fixture.ts";

const mounted: string[] = [];
cleanUpAfterwards();
// Runs before the folders are removed: the last hook comes first.
afterAll(() => {
  for (const folder of mounted) spawnSync("umount", ["-l", folder]);
});

interface SmallDisk {
  readonly folder: string;
  /** False if only the writes of a running process can be limited. */
  readonly isMounted: boolean;
  fill(pid: number): void;
  free(pid: number): void;
}

function makeSmallDisk(parent: string): SmallDisk {
  const folder = join(parent, "disk");
  mkdirSync(folder);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]).status === 0) {
    mounted.push(folder);
    const ballast = join(folder, "ballast");
    return {
      folder,
      isMounted: true,
      fill() {
        // Fills the disk down to the last page, in parts of half the size whenever nothing more
        // fits.
        for (let bytes = 8_388_608, part = 0; bytes >= 512; bytes = Math.floor(bytes / 2)) {
          try {
            writeFileSync(`${ballast}${part}`, Buffer.alloc(bytes));
            part += 1;
          } catch {
            rmSync(`${ballast}${part}`, { force: true });
          }
        }
      },
      free: () => {
        for (let part = 0; part < 64; part += 1) rmSync(`${ballast}${part}`, { force: true });
      },
    };
  }
  const limit = (pid: number, bytes: string) => {
    const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}`], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`neither mount nor prlimit works here: ${stderr}`);
  };
  return {
    folder,
    isMounted: false,
    fill: (pid) => limit(pid, "4096:unlimited"),
    free: (pid) => limit(pid, "unlimited:unlimited"),
  };
}

describe.concurrent("a full disk", () => {
  it("fault 60: stops polling, says so to a sink and on the status page, and goes on by itself", async () => {
    const fixture = await createFixture();
    const disk = makeSmallDisk(fixture.folder);
    const config = {
      ...baseConfig(fixture.api.url, fixture.api.key),
      state: { path: join(disk.folder, "state.db") },
      watches: { w: { type: "search", query: "acme", schedule: "@every 1s", sink: "hook" } },
      sinks: { hook: hookSink(fixture.hook) },
      ops: { sink: "hook" },
    };
    writeConfig(fixture.folder, config);
    const daemon = await fixture.startProcess();
    await noted(daemon, "w");
    disk.fill(daemon.pid);
    const missed = fixture.api.post("search:acme", 40, { text: `acme ${"x".repeat(2_000)}` });
    await until(
      "a status that says so",
      async () => /state/.test((await daemon.status()).reasons.join(" ")),
      daemon.err,
    );
    expect((await daemon.status()).state).toBe("paused");
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(503);
    const before = fixture.api.count("search-tweets");
    await until(
      "a word to ops, although nothing can be stored",
      () => fixture.hook.messages().some(({ body }) => /full|disk|state/i.test(body)),
      daemon.err,
    );
    expect(fixture.api.count("search-tweets") - before).toBeLessThanOrEqual(2);
    writeConfig(fixture.folder, {
      ...config,
      watches: { ...config.watches, other: { ...config.watches.w, query: "other" } },
    });
    expect((await daemon.post("/api/v1/reload")).status).toBe(422);
    await until("the log's word on it", () =>
      daemon
        .log()
        .some(({ msg }) => msg === "the configuration will be read again when the state works"),
    );
    expect((await daemon.status()).watches.map(({ id }) => id)).toEqual(["w"]);
    disk.free(daemon.pid);
    const alerted = () => new Set(fixture.hook.subjects().filter((id) => missed.includes(id)));
    await until(
      "what was missed",
      () => alerted().size >= missed.length,
      () => `${alerted().size}\n${daemon.err()}`,
    );
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects().filter((id) => missed.includes(id)))).toEqual(
      sorted(missed),
    );
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    // The configuration that the state could not store at first is active now, and the operator had
    // nothing to do.
    await noted(daemon, "other");
    expect((await daemon.status()).reasons).toEqual([]);
    daemon.kill("SIGTERM");
    expect((await daemon.gone).code).toBe(0);
  });

  it("is named by every state command that needs room on it, and never taken for a fault of the backup", async () => {
    const fixture = await createFixture();
    const disk = makeSmallDisk(fixture.folder);
    if (!disk.isMounted)
      return console.warn("state commands on a full disk: not tried, this user may not mount one");
    const path = join(disk.folder, "state.db");
    fixture.configure({ state: { path }, watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    daemon.kill("SIGTERM");
    await daemon.gone;
    const run = (...args: string[]) => runCommand(["state", ...args], { cwd: fixture.folder });
    const { out } = await run("backup");
    const [backup = ""] = /\S+\.backup-\S+/.exec(out) ?? [];
    const elsewhere = join(fixture.folder, "the.backup");
    copyFileSync(backup, elsewhere);
    disk.fill(0);
    const full = {
      code: 74,
      out: "",
      err: `The disk that holds ${path} is full.\nFree some space and try again.\n`,
    };
    for (const args of [["backup"], ["restore", backup], ["restore", elsewhere]])
      expect(await run(...args), args[0]).toMatchObject(full);
    disk.free(0);
    // There is room for the lock, but none for the copy.
    const { bavail, bsize } = statfsSync(disk.folder);
    writeFileSync(join(disk.folder, "ballast0"), Buffer.alloc(bavail * bsize - 100_000));
    expect(await run("restore", elsewhere)).toMatchObject(full);
    disk.free(0);
    expect(await run("restore", elsewhere)).toMatchObject({ code: 0, err: "" });
  });
});
