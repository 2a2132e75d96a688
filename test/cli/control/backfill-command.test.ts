/**
 * Tests `backfill` against one sandbox: before any daemon ran, beside one, and after it stopped.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { cleanUpAfterwards, hookSink, keep } from "../../e2e/fixture.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { type RunningDaemon, startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { type HookReceiver, startHookReceiver } from "../../support/hook-receiver.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { runCommand } from "../../support/run-command.ts";
import { type SandboxProcess, startSandboxHere } from "../../support/sandbox-process.ts";
import { until } from "../../support/until.ts";

cleanUpAfterwards();

let folder: string;
let hook: HookReceiver;
let sandbox: SandboxProcess;
let daemon: RunningDaemon;
const run = (...args: string[]) => runCommand(args, { cwd: folder, env: { USER: "alice" } });

describe("backfill", () => {
  beforeAll(async () => {
    folder = makeFolder();
    hook = await startHookReceiver().then(keep);
    sandbox = keep(await startSandboxHere());
    const endpoint = await startLoopbackServer((_, response) => response.end("{}")).then(keep);
    writeConfig(folder, {
      version: 1,
      api: { base_url: sandbox.url, key: "K1" },
      state: { path: "state.db" },
      server: { listen: "127.0.0.1:0" },
      watches: {
        news: { type: "search", query: "acme", schedule: "@every 1h" },
        posts: { type: "timeline", accounts: ["alice"], schedule: "@every 1h" },
        crowd: { type: "new_followers", accounts: ["alice"], schedule: "@every 1h" },
        asked: {
          ...{ type: "search", query: "acme", schedule: "@every 1h", labels: { team: "asked" } },
          enrich: { url: `${endpoint.url}/`, allow_private: true },
        },
        off: { type: "search", query: "acme", enabled: false },
      },
      sinks: { hook: hookSink(hook) },
      route: { sink: "hook" },
      ops: { sink: "hook" },
    });
  });

  it("wants a watch that a daemon has read", async () => {
    const answer = await run("backfill", "news", "--since", "7d");
    expect(answer).toMatchObject({
      code: 1,
      err: expect.stringContaining("there is no state yet: start the daemon") as string,
    });
  });

  it("pays once: a dry run reads, and the run after it sends and costs nothing", async () => {
    daemon = await startDaemonHere({ folder });
    for (const watch of ["news", "posts", "crowd"])
      await daemon.logged(new RegExp(`^${watch}: \\d+ items noted`));
    const before = await sandbox.billed();
    const dry = await run("backfill", "news", "--since", "7d", "--dry-run", "--yes");
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out).toMatch(/^news: back to \d{4}-\d\d-\d\d \d\d:\d\d UTC, 1 source$/m);
    const alerts = Number(/(\d+) alerts would be sent/.exec(dry.out)?.[1]);
    expect(alerts).toBeGreaterThan(20);
    const paid = await sandbox.billed();
    expect(paid).toBeGreaterThan(before);
    expect(hook.messages()).toEqual([]);
    expect(await run("backfill", "news", "--since", "7d")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `Send ${alerts} alerts? There is no terminal to ask on: add --yes`,
      ) as string,
    });
    const sent = await run("backfill", "news", "--since", "7d", "--yes");
    expect(sent.out).toContain(
      "1 source already read and paid for within the last day: nothing to pay",
    );
    expect(sent.out).toMatch(
      new RegExp(`^0 requests paid\\. ${alerts} alerts go out within a minute`, "m"),
    );
    expect(await sandbox.billed()).toBe(paid);
    await until("every alert once", () => hook.subjects().length === alerts || undefined);
    expect(new Set(hook.subjects()).size).toBe(alerts);
    expect((await run("backfill", "news", "--since", "7d")).out).toMatch(
      /0 alerts go out within a minute; \d+ announced before/,
    );
    expect((await run("events", "--replays")).out).toMatch(
      /alice +\d+ +backfill watch=news since=/,
    );
  });

  it("stops at --max-requests, sends what it has read, and goes on next time", async () => {
    const cut = await run("backfill", "posts", "--since", "30d", "--max-requests", "1", "--yes");
    expect(cut).toMatchObject({
      code: 1,
      err: expect.stringContaining("the backfill is not complete after 1 request") as string,
    });
    const first = Number(/paid\. (\d+) alerts? go/.exec(cut.out)?.[1]);
    const rest = await run("backfill", "posts", "--since", "30d", "--yes", "--json");
    const view = JSON.parse(rest.out);
    expect(view).toMatchObject({ watch: "posts", whole: true });
    expect(view.known).toBeGreaterThanOrEqual(first);
    expect(view.alerts).toBeGreaterThan(0);
  });

  it("refuses what it cannot do, and says why", async () => {
    const said = async (...args: string[]) => {
      const { code, err } = await run("backfill", ...args);
      return `${code} ${err}`;
    };
    expect(await said("crowd", "--since", "7d")).toMatch(
      /^1 crowd is a new_followers watch, and only watches of tweets can be backfilled/,
    );
    expect(await said("off", "--since", "7d")).toMatch(
      /^1 off is disabled: remove `enabled: false`/,
    );
    expect(await said("nws", "--since", "7d")).toMatch(
      /^1 there is no watch "nws"\nDid you mean news\?/,
    );
    expect(await said("news", "--since", "soon")).toMatch(/^2 --since must be a time like/);
    expect(await said("news", "--since", "2999-01-01")).toMatch(/^2 --since is in the future/);
    expect(await said("news", "--since", "400d")).toMatch(
      /^2 the state forgets alerts after 90d \(state.retention\)/,
    );
    expect(await said("news", "--since", "7d", "--max-requests", "many")).toMatch(
      /^2 --max-requests takes a whole number above 0/,
    );
    expect((await run("backfill", "news")).code).toBe(2);
    await run("pause", "news");
    expect(await said("news", "--since", "7d")).toMatch(
      /^1 news is paused: run chirpwatch resume news first/,
    );
    await run("resume", "news");
  });

  it("without a daemon the alerts go out at the next start", async () => {
    daemon.kill("SIGTERM");
    await daemon.gone;
    const before = hook.subjects().length;
    const answer = await run("backfill", "news", "--since", "9d", "--yes");
    expect(answer.out).toMatch(/[1-9]\d* alerts? go(es)? out at the next start/);
    expect(hook.subjects().length).toBe(before);
    daemon = await startDaemonHere({ folder });
    await until("the alerts", () => hook.subjects().length > before || undefined);
  });

  it("without a daemon what a watch has enriched is asked at the next start, and not before", async () => {
    daemon.kill("SIGTERM");
    await daemon.gone;
    expect((await run("backfill", "asked", "--since", "9d", "--yes")).out).toMatch(
      /alerts? go(es)? out at the next start/,
    );
    daemon = await startDaemonHere({ folder });
    const ofAsked = () => hook.events().filter((event: any) => event.labels.team === "asked");
    await until("the alerts", () => ofAsked().length > 0 || undefined);
    expect(ofAsked().every((event: any) => event.labels.enrich === "ok")).toBe(true);
  });
});
