/**
 * Tests commands that ask a running daemon, or work without one, against a real daemon on its own
 * sandbox.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, makeFolder } from "../support/bin-process.ts";
import { type RunningDaemon, startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { runCommand } from "../support/run-command.ts";
import { startSandboxCommand } from "../support/sandbox-process.ts";

afterAll(cleanUp);

const CONFIG = {
  version: 1,
  state: { path: "data/state.db" },
  server: { listen: "127.0.0.1:0" },
  watches: {
    mentions: { type: "search", query: "acme" },
    others: { type: "search", query: "rival" },
  },
  sinks: { terminal: { type: "console" } },
  ops: { sink: "terminal" },
};

function folderWith(config: object): string {
  const folder = makeFolder();
  writeConfig(folder, config);
  return folder;
}

const pausedIn = async (daemon: RunningDaemon): Promise<readonly string[]> =>
  (await daemon.status()).watches.filter(({ paused }) => paused).map(({ id }) => id);

describe("beside a running daemon", () => {
  let folder: string;
  let daemon: RunningDaemon;
  const run = (...args: string[]) => runCommand(args, { cwd: folder });

  beforeAll(async () => {
    folder = folderWith(CONFIG);
    daemon = await startDaemonHere({ folder });
    await daemon.logged(/^mentions: \d+ items noted/);
  });

  it("health says in one sentence that it is well, by configuration and by address", async () => {
    for (const args of [["health"], ["health", "--url", daemon.url]]) {
      const { code, out, err } = await run(...args);
      expect(err).toBe("");
      expect(out).toMatch(/^the daemon is healthy.*\n$/);
      expect(code).toBe(0);
    }
  });

  it("pause and resume reach the daemon at once", async () => {
    const paused = await run("pause", "mentions");
    expect(paused).toMatchObject({
      code: 0,
      out: "mentions is paused; takes effect now\n",
      err: "",
    });
    expect(await pausedIn(daemon)).toEqual(["mentions"]);
    const resumed = await run("resume", "mentions");
    expect(resumed).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^mentions is resumed; what was missed since \S+Z is sent as one digest/,
      ),
      err: "",
    });
    expect(await pausedIn(daemon)).toEqual([]);
    expect(await run("resume", "mentions")).toMatchObject({
      code: 0,
      out: "mentions is resumed; takes effect now\n",
    });
    expect(await run("resume", "mentions", "--from-now")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not paused"),
    });
    await run("pause", "mentions");
    expect(await run("resume", "mentions", "--from-now")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ raises no alert; takes effect now\n$/),
    });
  });

  it("resume of a sink reaches the daemon, and wants to know of what", async () => {
    expect(await run("resume", "--sink", "terminal")).toMatchObject({
      code: 0,
      out: expect.stringContaining("terminal is not disabled"),
    });
    expect(await run("resume", "--sink", "nowhere")).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no sink "nowhere"'),
    });
    expect(await run("resume")).toMatchObject({ code: 2, err: expect.stringContaining("--sink") });
    expect(await run("resume", "mentions", "--sink", "terminal")).toMatchObject({ code: 2 });
  });

  it("pause of a watch that is none names the nearest and all there are", async () => {
    const { code, err } = await run("pause", "mention");
    expect(err).toBe(
      'there is no watch "mention"\nDid you mean mentions? Known names: mentions, others\n',
    );
    expect(code).toBe(1);
  });

  it("a pause without a daemon is kept by the next start", async () => {
    daemon.kill("SIGTERM");
    expect((await daemon.gone).code).toBe(0);
    const paused = await run("pause", "others");
    expect(paused).toMatchObject({
      code: 0,
      out: "others is paused; takes effect at the next start\n",
      err: "",
    });
    expect((await run("pause", "nobody")).code).toBe(1);
    daemon = await startDaemonHere({ folder });
    expect(await pausedIn(daemon)).toEqual(["others"]);
    await run("resume", "others");
  });

  it("plan says how much slower the daemon polls now", async () => {
    const short = {
      api: { quota: { monthly: 20 } },
      watches: { rare: { type: "search", query: "acme", schedule: "@every 10s", priority: "low" } },
    };
    const own = folderWith({ ...CONFIG, ...short });
    await (await startDaemonHere({ folder: own })).logged(/^rare: \d+ items noted/);
    const { out } = await runCommand(["plan", "--json"], { cwd: own });
    expect(JSON.parse(out).watches[0].stretch).toBeGreaterThan(1);
  });

  it.each([
    ["a state of its own", { path: "mem/own.db" }],
    ["the usual state", undefined],
  ])(
    "every command finds it when the file was spoilt after the start: %s",
    async (_name, state) => {
      const spoilt = folderWith({ ...CONFIG, state });
      await (await startDaemonHere({ folder: spoilt })).logged(/^mentions: \d+ items noted/);
      const typo = JSON.stringify({ ...CONFIG, state }, null, 2).replace('"search"', '"serch"');
      for (const [name, text] of Object.entries({
        serch: typo,
        "this is not YAML": `${typo.slice(0, -1)}, watches: [`,
      })) {
        writeFileSync(join(spoilt, "watches.yaml"), text);
        const run = (...args: string[]) => runCommand(args, { cwd: spoilt });
        expect(await run("health")).toEqual({ code: 0, out: "the daemon is healthy\n", err: "" });
        const note = expect.stringMatching(
          `^the daemon keeps the configuration that it loaded before; the file cannot be loaded now: \\S+watches\\.yaml:[^\n]*${name}`,
        );
        expect(await run("status")).toEqual({
          code: 0,
          out: expect.stringContaining("State: "),
          err: note,
        });
        expect(await run("budget")).toEqual({
          code: 0,
          out: expect.stringContaining("Spent: "),
          err: note,
        });
        expect(await run("pause", "mentions")).toEqual({
          code: 0,
          out: "mentions is paused; takes effect now\n",
          err: note,
        });
        expect(await run("resume", "mention")).toEqual({
          code: 1,
          out: "",
          err: expect.stringContaining("Known names: mentions, others"),
        });
        const unseen = await run("explain", "123");
        expect(unseen).toEqual({
          code: 1,
          out: expect.stringContaining("mentions: "),
          err: expect.stringContaining("123 was never seen"),
        });
        expect(await run("state", "backup")).toEqual({
          code: 0,
          out: expect.stringContaining("Backed up to "),
          err: "",
        });
        expect(await run("state", "check")).toEqual({
          code: 0,
          out: expect.stringContaining("is sound"),
          err: "",
        });
      }
    },
  );
});

describe.concurrent("without a daemon", () => {
  it("health fails with one sentence", async () => {
    const { code, out, err } = await runCommand(["health"], { cwd: folderWith(CONFIG) });
    expect(out).toBe("");
    expect(err).toMatch(
      /^no daemon is running here on the state .*state\.db\nStart it with `chirpwatch run`\.\n$/,
    );
    expect(code).toBe(1);
  });

  it("health names the error of a file that is no good, and no warning that stands above it", async () => {
    const api = { base_url: "http://127.0.0.1:1", key: "written out" };
    const spoilt = folderWith({ api, ...CONFIG, watches: { one: { type: "serch" } } });
    const { code, err } = await runCommand(["health"], { cwd: spoilt });
    expect(err).toMatch(
      /^no daemon is running here on the state \S+ \(\S+watches\.yaml:\d+:\d+  [^\n]*serch[^\n]*\)\nStart it/,
    );
    expect(code).toBe(1);
  });

  it("other commands name every error of a file that is no good", async () => {
    const spoilt = folderWith({
      ...CONFIG,
      watches: { one: { type: "serch" }, two: { type: "tmeline" } },
    });
    for (const args of [
      ["status"],
      ["budget"],
      ["explain", "123"],
      ["pause", "one"],
      ["state", "check"],
      ["state", "backup"],
    ]) {
      const { code, err } = await runCommand(args, { cwd: spoilt });
      expect([code, err.split("\n").length], args.join(" ")).toEqual([78, 3]);
    }
  });

  it("health of an address where nobody listens fails", async () => {
    const { code, err } = await runCommand(["health", "--url", "http://127.0.0.1:1"], {
      cwd: makeFolder(),
    });
    expect(err).toMatch(/^no daemon answers at http:\/\/127\.0\.0\.1:1: [^\n]+\n$/);
    expect(code).toBe(1);
  });

  it("health of something that is not an address is a usage error", async () => {
    expect((await runCommand(["health", "--url", "nowhere"], { cwd: makeFolder() })).code).toBe(2);
  });

  it("pause without any state says so, and makes none", async () => {
    const { code, err } = await runCommand(["pause", "mentions"], { cwd: folderWith(CONFIG) });
    expect(err).toContain("state.db");
    expect(code).toBe(74);
  });
});

it("sandbox --data keeps what was put into the world over a restart, and refuses a file it cannot write", async () => {
  const folder = makeFolder();
  const data = ["--data", join(folder, "world.ndjson")];
  const first = await startSandboxCommand(data);
  const { ids } = await first.control("tweets", { username: "alice", text: "kept in a file" });
  const second = await startSandboxCommand(data);
  const answer = await fetch(`${second.url}/v3/tweet-info`, {
    method: "POST",
    headers: { ApiKey: second.key, "Content-Type": "application/json" },
    body: JSON.stringify({ tweet_link: ids[0] }),
  });
  expect(await answer.json()).toMatchObject({ id: ids[0], full_text: "kept in a file" });
  const refused = await runCommand(
    ["sandbox", "--listen", "127.0.0.1:0", "--data", "no/such/folder/world.ndjson"],
    { cwd: folder },
  );
  expect([refused.code, refused.err]).toEqual([
    73,
    expect.stringContaining("no/such/folder/world.ndjson cannot be used"),
  ]);
});
