/**
 * Tests starts that must not succeed: each prints one sentence with the cure and has an exit code
 * of its own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, runBin } from "../support/bin-process.ts";
import type { Ended } from "../support/child-process.ts";
import { baseConfig, startDaemonHere, writeConfig } from "../support/daemon-process.ts";
import { type Ran, runCommand } from "../support/run-command.ts";
import { startSandboxCommand } from "../support/sandbox-process.ts";
import { cleanUpAfterwards, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

const CONSOLE = { terminal: { type: "console" } };
const WATCHES = { w: { type: "search", query: "acme" } };

/** Runs in this process. A command that refuses to start never becomes a daemon. */
const run = (folder: string, env: Record<string, string> = {}): Promise<Ran> =>
  runCommand(["run", "-c", "watches.yaml"], { cwd: folder, env });

function folderWith(config: object | string): string {
  const folder = makeFolder();
  writeConfig(folder, config);
  return folder;
}

/** Checks what people read: the expected text, and neither a stack nor an internal error. */
function expectRefusal(ended: Ran | Ended, code: number, text: string | RegExp): void {
  expect(ended.err).toMatch(text);
  expect(ended.code).toBe(code);
  expect(`${ended.out}${ended.err}`).not.toMatch(/\n\s+at .*\(|internal error/);
}

describe.concurrent("a start that must not succeed", () => {
  it("keeps the sandbox's tweets out of real channels", async () => {
    const slack = {
      "slack-brand": { type: "slack", token: "xoxb-hidden-token", channel: "#brand" },
    };
    const ended = await run(
      folderWith({ ...baseConfig("sandbox", "sandbox"), watches: WATCHES, sinks: slack }),
    );
    expectRefusal(
      ended,
      78,
      "CHIRPWATCH_API_URL is not set: refusing to send invented tweets to slack-brand",
    );
    expect(ended.err).not.toContain("hidden-token");
  });

  it("keeps them out as well where a sandbox of its own answers, and takes a reload for what it is", async () => {
    const folder = makeFolder();
    const { url, key } = await startSandboxCommand();
    const slack = {
      "slack-brand": {
        type: "slack",
        token: "xoxb-hidden-token",
        channel: "#brand",
        api_url: "https://slack.invalid/api/",
      },
    };
    const config = { ...baseConfig(url, key), watches: WATCHES };
    writeConfig(folder, { ...config, sinks: slack });
    const refusal = `${url} says that it is the sandbox: refusing to send invented tweets to slack-brand`;
    expectRefusal(await run(folder), 78, refusal);
    writeConfig(folder, { ...config, sinks: CONSOLE });
    const daemon = await startDaemonHere({ folder });
    await noted(daemon, "w");
    writeConfig(folder, { ...config, sinks: slack });
    expect(await daemon.post("/api/v1/reload")).toMatchObject({
      status: 422,
      body: expect.stringContaining(refusal),
    });
    expect(await runCommand(["test", "w", "--send"], { cwd: folder })).toMatchObject({
      code: 78,
      err: expect.stringContaining(refusal),
    });
  });

  it("fault 82: names the environment variable that is missing", async () => {
    const config = {
      ...baseConfig("${CHIRPWATCH_API_URL:?the https address of your data service}", "${MY_KEY}"),
      watches: WATCHES,
      sinks: CONSOLE,
    };
    const ended = await run(folderWith(config), { UNRELATED: "value-of-another" });
    expectRefusal(ended, 78, /CHIRPWATCH_API_URL.*the https address of your data service/);
    expect(ended.err).toMatch(/watches\.yaml:\d+:\d+.*MY_KEY/);
    expect(ended.err).not.toContain("value-of-another");
  });

  it("shows where broken YAML breaks, and every other error at once", async () => {
    expectRefusal(
      await run(folderWith("version: 1\nwatches:\n  a: [\n")),
      78,
      /watches\.yaml:\d+:\d+/,
    );
    const two = await run(
      folderWith(
        "version: 1\nwatches:\n  a: { type: serch, sink: s }\n  b: { type: search, sink: s, query: x, schedul: '@every 5m' }\nsinks:\n  s: { type: console }\n",
      ),
    );
    expectRefusal(two, 78, /did you mean/);
    expect(two.err).toMatch(/watches\.yaml:3:\d+.*serch/);
    expect(two.err).toMatch(/watches\.yaml:4:\d+.*schedul/);
  });

  it("says when there is no configuration", async () => {
    expectRefusal(await run(makeFolder()), 78, /watches\.yaml/);
  });

  it("refuses plain http to another machine", async () => {
    expectRefusal(
      await run(
        folderWith({ ...baseConfig("http://api.example.com"), watches: WATCHES, sinks: CONSOLE }),
      ),
      78,
      /https/,
    );
  });

  it("fault 59: refuses a second instance on the same state", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    await noted(await fixture.start(), "w");
    const ended = await runBin(["run", "-c", "watches.yaml"], { cwd: fixture.folder });
    expectRefusal(ended, 75, /already|another chirpwatch/i);
    expect(ended.err).toContain("state.db");
  });

  it("refuses a state that was made with another service", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    const first = await fixture.start();
    await noted(first, "w");
    first.kill("SIGTERM");
    await first.gone;
    const other = await createFixture();
    writeConfig(fixture.folder, {
      ...baseConfig(other.api.url, other.api.key),
      watches: WATCHES,
      sinks: CONSOLE,
    });
    expectRefusal(
      await run(fixture.folder),
      78,
      new RegExp(`${fixture.api.url}.*${other.api.url}`),
    );
    expect(other.api.asked).toEqual([]);
  });

  it("fault 63: refuses a damaged database, names the newest backup and leaves the file as it is", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    const first = await fixture.start();
    await noted(first, "w");
    first.kill("SIGTERM");
    await first.gone;
    const data = join(fixture.folder, "data");
    const backup = `${join(data, "state.db")}.backup-1-20260102T030405Z`;
    writeFileSync(backup, "");
    const rubbish = Buffer.alloc(8_192, 0x5a);
    writeFileSync(join(data, "state.db"), rubbish);
    const ended = await run(fixture.folder);
    expectRefusal(ended, 74, /not a chirpwatch database|damaged/);
    expect(ended.err).toContain(`state restore ${backup}`);
    expect(readFileSync(join(data, "state.db"))).toEqual(rubbish);
  });

  it("says which state file it cannot create", async () => {
    const folder = folderWith({
      ...baseConfig("sandbox", "sandbox"),
      watches: WATCHES,
      sinks: CONSOLE,
      state: { path: "watches.yaml/state.db" },
    });
    expectRefusal(await run(folder), 73, /watches\.yaml\/state\.db cannot be created/);
  });

  it("refuses an address in use for the status page", async () => {
    const fixture = await createFixture();
    const folder = folderWith({
      ...baseConfig("sandbox", "sandbox"),
      watches: WATCHES,
      sinks: CONSOLE,
      server: { listen: fixture.api.url.replace("http://", "") },
    });
    const ended = await run(folder);
    expect(ended.err).toMatch(/in use|listen/);
    expect(ended.code).not.toBe(0);
    expect(ended.err).not.toMatch(/\n\s+at .*\(|internal error/);
  });

  // bad-configs.test.ts checks that this takes less than a second of CPU time.
  it("fault 83: refuses a YAML bomb and a huge file", async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij"
      .split("")
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(",")}]`)
      .join("\n")}\n`;
    for (const text of [bomb, `version: 1\n#${"x".repeat(2_000_000)}`])
      expectRefusal(await run(folderWith(text)), 78, /watches\.yaml/);
  });
});
