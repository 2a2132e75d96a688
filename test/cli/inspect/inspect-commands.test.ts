/**
 * Tests `status`, `explain` and `state`: beside a daemon on the bundled sandbox, and after it
 * stopped.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "../../support/bin-process.ts";
import { type RunningDaemon, startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { runCommand } from "../../support/run-command.ts";
import { until } from "../../support/until.ts";
import { cleanUpAfterwards } from "../../e2e/fixture.ts";

cleanUpAfterwards();

const CONFIG = {
  version: 1,
  state: { path: "state.db" },
  server: { listen: "127.0.0.1:0" },
  watches: { news: { type: "search", query: "acme", first_run: { latest: 1 } } },
  sinks: { terminal: { type: "console" } },
  ops: { sink: "terminal" },
};

let folder: string;
let daemon: RunningDaemon;
let alerted: string;
const run = (...args: readonly string[]) => runCommand(args, { cwd: folder });

/** Starts a daemon in a folder of its own and waits until its first alert is sent. */
async function startAlerting(): Promise<void> {
  folder = makeFolder();
  writeConfig(folder, CONFIG);
  daemon = await startDaemonHere({ folder });
  await daemon.logged(/^news: \d+ items noted/);
  const view = await until("the first alert sent", async () => {
    const status = JSON.parse((await run("status", "--json")).out);
    return status.sinks[0].sent > 0 ? status : undefined;
  });
  alerted = /status\/(\d+)/.exec(view.recent_events[0].url)?.[1] ?? "";
}

describe("beside a running daemon", () => {
  beforeAll(startAlerting);

  it("status shows watches, sinks and the last alerts in a table", async () => {
    const { code, out, err } = await run("status");
    expect(err).toBe("");
    expect(out).toMatch(/^State: running \(version /);
    expect(out).toMatch(/^news +search +@every 5m +[1-9]/m);
    // The next poll may come at any moment and find more.
    expect(out).toMatch(/^terminal +console +console +\d+ +- +[1-9]\d* +0/m);
    // The world depends on the clock: the newest match may be a post, a reply or a quote.
    expect(out).toMatch(/^\d+\w ago +news +.*\(@\w+\) (?:posted|replied|quoted)/m);
    expect(code).toBe(0);
  });

  it("explain follows an alert from verdict to message, asked by id or link", async () => {
    for (const item of [alerted, `https://x.com/someone/status/${alerted}`]) {
      const { code, out } = await run("explain", item);
      expect(out).toContain(`Item ${alerted}`);
      expect(out).toContain("verdict  news: it became an alert");
      expect(out).toMatch(/event {4}tweet\.created \S{22}/);
      expect(out).toMatch(/sink {5}terminal: sent \d{4}-.*, message \S+, 1 attempt/);
      expect(code).toBe(0);
    }
  });

  it("explain of an item that no watch saw says what that means, and ends with 1", async () => {
    expect(await run("explain", "1")).toMatchObject({
      code: 1,
      err: expect.stringContaining("1 was never seen: no poll of any watch returned it.") as string,
    });
    expect(await run("explain", "@who_is_that")).toMatchObject({
      code: 1,
      err: expect.stringContaining("no item with that name") as string,
    });
  });

  it("explain takes an id that begins with a dash for an id", async () => {
    const { code, err, out } = await run("explain", "-23456789012345678_abc", "--json");
    expect({ code, text: out + err }).toEqual({
      code: 1,
      text: expect.stringContaining("-23456789012345678_abc") as string,
    });
    expect(err).not.toContain("unknown option");
  });

  it("events lists what was found and what became of it, as text, JSON and CSV", async () => {
    const { code, out, err } = await run("events", "--since", "1h");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}news {2}.*\(@\w+\)/m);
    expect(out).toMatch(
      new RegExp(`^  terminal: sent  https://x.com/\\w+/status/${alerted}$`, "m"),
    );
    const [first] = JSON.parse((await run("events", "--state", "sent", "--json")).out).events;
    expect(first).toMatchObject({
      type: "tweet.created",
      deliveries: [{ sink: "terminal", state: "sent" }],
      data: { watch: "news" },
    });
    const csv = (await run("events", "--watch", "news", "--csv")).out.split("\r\n");
    expect(csv[0]).toBe(
      "detected_at,occurred_at,watch,type,author,text,url,deliveries,id,acknowledged_by,acknowledged_at",
    );
    expect(csv.some((row) => row.includes(`/status/${alerted},terminal:sent,`))).toBe(true);
    expect((await run("events", "--state", "summarised")).out).toBe("No event matches.\n");
  });

  it("events says what is wrong with its options, and ends with 2", async () => {
    expect(await run("events", "--since", "yesterday")).toMatchObject({
      code: 2,
      err: expect.stringContaining("since must be a time like") as string,
    });
    expect(await run("events", "--state", "lost")).toMatchObject({
      code: 2,
      err: expect.stringContaining("state must be one of waiting") as string,
    });
    expect(await run("events", "--limit", "0")).toMatchObject({
      code: 2,
      err: expect.stringContaining("limit must be a whole number") as string,
    });
    expect((await run("events", "--json", "--csv")).code).toBe(2);
  });

  it("state is checked and backed up meanwhile, but not restored", async () => {
    expect(await run("state", "check")).toMatchObject({
      code: 0,
      out: expect.stringContaining("state.db is sound: schema 0") as string,
    });
    expect(await run("state", "backup")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Backed up to ") as string,
    });
    const refused = await run("state", "restore", backupOf(folder));
    expect(refused).toMatchObject({
      code: 75,
      err: expect.stringContaining("Another chirpwatch is running") as string,
    });
  });
});

describe("after the daemon stopped", () => {
  beforeAll(async () => {
    await startAlerting();
    await run("state", "backup");
    daemon.kill("SIGTERM");
    await daemon.gone;
  });

  it("status says so, and shows what the state remembers", async () => {
    const { code, out } = await run("status");
    expect(out).toContain("State: not running");
    expect(out).toMatch(/^news +search +@every 5m +[1-9]/m);
    expect(code).toBe(0);
    expect(JSON.parse((await run("status", "--json")).out)).toMatchObject({
      state: "not_running",
      watches: [{ id: "news" }],
    });
  });

  it("explain reads the state itself", async () => {
    const { code, out } = await run("explain", alerted, "--json");
    expect(JSON.parse(out)).toMatchObject({
      item_id: alerted,
      verdicts: [
        { watch: "news", verdict: "event", deliveries: [{ sink: "terminal", state: "sent" }] },
      ],
    });
    expect(code).toBe(0);
  });

  it("events reads the state itself", async () => {
    expect((await run("events")).out).toContain(`/status/${alerted}`);
  });

  it("a backup takes the state's place, and what was there is kept", async () => {
    await run("silence", "add", 'watch="news"', "--duration", "1h", "--comment", "later");
    await run("pause", "news");
    const { code, out } = await run("state", "restore", backupOf(folder));
    const lost =
      /Added since the backup and lost: the silence \d+ \(watch="news"\); the pause of news\.\n/;
    expect(out).toMatch(lost);
    expect(out.replace(lost, "")).toMatch(
      /^Restored .*\nIt is from .*\nWhat was there is kept as .*state\.db\.replaced-/,
    );
    expect(code).toBe(0);
    expect(readdirSync(folder).some((name) => name.startsWith("state.db.replaced-"))).toBe(true);
    expect((await run("explain", alerted)).code).toBe(0);
  });

  it("restore wants a backup, and one that is sound", async () => {
    expect((await run("state", "restore")).code).toBe(2);
    writeFileSync(
      join(folder, "junk"),
      "no database, but long enough to be taken for one ".repeat(50),
    );
    expect((await run("state", "restore", "junk")).code).toBe(74);
    expect((await run("state", "check")).code).toBe(0);
  });

  it("check of a damaged state ends with 74, and names the newest backup", async () => {
    expect(await run("state", "backup")).toMatchObject({ code: 0 });
    const damaged = makeFolder();
    cpSync(folder, damaged, { recursive: true });
    const path = join(damaged, "state.db");
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x41, 4_096, bytes.length - 4_096));
    const { code, err } = await runCommand(["state", "check"], { cwd: damaged });
    expect(err).toContain("is damaged");
    expect(err).toContain("chirpwatch state restore ");
    expect(code).toBe(74);
  });

  it("status without any state says that there is none", async () => {
    const empty = makeFolder();
    writeConfig(empty, CONFIG);
    const { code, err } = await runCommand(["status"], { cwd: empty });
    expect(err).toMatch(/There is no state file .*\n`chirpwatch run` creates one/);
    expect(code).toBe(74);
  });
});

const backupOf = (where: string): string =>
  readdirSync(where).find((name) => /\.backup-\d{4}-\d{8}T\d{6}Z$/.test(name)) ?? "";
