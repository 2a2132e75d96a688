/** Tests the options of `backtest` and `plan --messages`, what they refuse, and what they print. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadActiveConfig } from "../../../src/app/backtest/active-config.ts";
import { runBacktest } from "../../../src/app/backtest/backtest.ts";
import { replayInThread } from "../../../src/app/backtest/replay-in-thread.ts";
import { ExitError } from "../../../src/model/exit-code.ts";
import { createSystemRandom } from "../../../src/runtime/system-random.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { isoTime } from "../../../src/model/clock.ts";
import { targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { openStore } from "../../../src/state/open.ts";
import { watchTypeOf } from "../../../src/watches/registry.ts";
import type { ReplayedItem } from "../../../src/operate/backtest/replayed-watches.ts";
import { registrationOf } from "../../../src/operate/changes/registration-of.ts";
import { goodConfig } from "../../config/load-text.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { makeTweet, makeUser } from "../../support/make-event.ts";
import { runCommand } from "../../support/run-command.ts";

const HOUR = 3_600_000;
const nowMs = Math.floor(Date.now() / HOUR) * HOUR;

const configOf = (watches: string) => `version: 1
api: { base_url: sandbox, key: sandbox }
state: { path: s.db }
watches:
${watches}
sinks:
  hook: { type: webhook, url: "https://example.com/hook" }
  pager: { type: webhook, url: "https://example.com/pager" }
ops: { sink: pager }
`;
const ACTIVE = configOf(
  `  brand: { type: search, query: zebra, where: "tweet.likes_count > 5", sink: hook }`,
);
const ACCOUNTS = configOf(`  brand: { type: search, query: zebra, sink: [hook, pager] }
  people: { type: timeline, accounts: [ann, bob], sink: hook }`);

const openState = (folder: string) =>
  openStore({
    ...{ path: join(folder, "s.db"), log: rememberingLog() },
    ...{ clock: createSystemClock(), random: createSystemRandom() },
  });

/**
 * Creates a state in which a daemon archived three posts an hour apart, with 0, 10 and 20 likes.
 */
async function makeState(folder: string, archived = [0, 10, 20]): Promise<void> {
  const store = await openState(folder);
  const config = await goodConfig(ACTIVE);
  const [watch] = config.watches;
  if (watch === undefined) throw new Error("the configuration has no watch");
  const [state] = await store.registerWatches([registrationOf(sha256, watch)], nowMs - 24 * HOUR);
  const [target] = targetsOf(sha256, watch, watchTypeOf(watch));
  if (state === undefined || target === undefined) throw new Error("nothing was registered");
  const by = "test";
  await store.proposeConfig({
    ...{ hash: "h", atMs: nowMs - 24 * HOUR, cause: "start", by, mayGoBack: true, body: ACTIVE },
  });
  for (const [n, likes] of archived.entries()) {
    const atMs = nowMs - (archived.length - n) * HOUR;
    const id = `20000000000000000${n}`;
    const tweet = {
      ...makeTweet(id, `zebra ${n}`),
      ...{ created_at: isoTime(atMs), likes_count: likes, user: makeUser("7", "ann") },
    };
    await store.commitPoll({
      ...{ atMs, targets: [], verdicts: [], events: [], deliveries: [] },
      archive: [
        {
          ...{ atMs, source: "s", gatherMs: 60_000, values: [] },
          facts: [
            {
              ...{ watchKey: state.key, targetKey: target.key, targetName: target.name },
              ...{ found: "news", type: "tweet.created", subject: id, episode: "" },
              ...{ body: { tweet }, occurredAtMs: atMs },
            },
          ],
        },
      ],
    });
  }
  await store.close();
}

const run = (cwd: string, ...args: readonly string[]) => runCommand(args, { cwd });

describe("with an archive", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = makeFolder({ "watches.yaml": ACTIVE, "accounts.yaml": ACCOUNTS });
    await makeState(cwd);
  });

  it("replays the file, and tries one condition on one watch", async () => {
    const plain = await run(cwd, "backtest", "--since", "12h");
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(plain.out).toMatch(/^brand +3 +2 +3 +2$/m);
    expect(plain.out).toContain("brand, not alerted:\n  1  where is false: tweet.likes_count > 5");
    const where = ["--watch", "brand", "--where", "tweet.likes_count > 15"];
    const tried = JSON.parse((await run(cwd, "backtest", ...where, "--format", "json")).out);
    expect(tried.watches).toMatchObject([{ before: { alerted: 2 }, after: { alerted: 1 } }]);
    expect(tried).toMatchObject({ gone: { count: 1 }, added: { count: 0 }, moved: { count: 0 } });
  });

  it("shows only a sink, a period and so many alerts", async () => {
    const { out } = await run(
      ...[cwd, "backtest", "-c", "accounts.yaml", "--sink", "pager", "--limit", "1", "--json"],
    );
    const view = JSON.parse(out);
    expect(view.sinks).toMatchObject([
      { sink: "pager", before: { alerts: 0 }, after: { alerts: 3 } },
    ]);
    expect(view.added).toMatchObject({ count: 3, alerts: [{ before: [], after: ["pager"] }] });
    const until = await run(cwd, "backtest", "--until", isoTime(nowMs - 90 * 60_000), "--json");
    expect(JSON.parse(until.out).watches).toMatchObject([{ after: { read: 2, alerted: 1 } }]);
  });

  it("says of accounts that were never read that it counts at least, and what reading costs", async () => {
    const { out } = await run(cwd, "backtest", "-c", "accounts.yaml");
    expect(out).toMatch(
      /^people +- +- +3 +at least 3 +2 of 2 targets never read; a backfill of 1 day costs about 2 requests$/m,
    );
  });

  it("prints with two threads what one thread finds", async () => {
    const [sinceMs, untilMs] = [nowMs - 12 * HOUR, nowMs];
    const period = ["--since", isoTime(sinceMs), "--until", isoTime(untilMs)];
    const { out } = await run(cwd, "backtest", "-c", "accounts.yaml", ...period, "--json");
    const store = await openState(cwd);
    const active = await loadActiveConfig(await store.currentConfig());
    const verdicts: ReplayedItem[] = [];
    const view = await runBacktest(
      active,
      await goodConfig(ACCOUNTS),
      { sinceMs, untilMs, watch: undefined, sink: undefined, limit: 20 },
      {
        ...{ store, hash: sha256, onProgress: () => undefined },
        onActiveItem: (item) => verdicts.push(item),
      },
    );
    await store.close();
    expect(verdicts.map(({ reason }) => reason)).toHaveLength(3);
    expect(out).toBe(`${JSON.stringify(view, undefined, 2)}\n`);
  });

  it("says of which changes it knows nothing, because polls and detection are not repeated", async () => {
    const slower = configOf(
      `  brand: { type: search, query: zebra, schedule: "@every 1h", max_age: 48h, first_run: { since: 1h }, sink: hook }`,
    );
    const folder = makeFolder({ "watches.yaml": slower, "active.yaml": ACTIVE });
    await makeState(folder);
    const { out } = await run(folder, "backtest");
    expect(out).toContain(
      "\n  Another schedule of brand, another max_age of brand, another first_run of brand changes nothing here: what was polled and detected stays.\n",
    );
    expect((await run(folder, "backtest", "-c", "active.yaml")).out).not.toContain("Another");
  });

  it("is part of a comparison of two plans", async () => {
    const compared = ["plan", "--diff", "accounts.yaml", "--messages"];
    const { out } = await run(cwd, ...compared);
    expect(out).toMatch(/^pager +0 +about 0 +3 +about 3/m);
    expect(out).toContain("Added:");
    expect(JSON.parse((await run(cwd, ...compared, "--json")).out).messages.added.count).toBe(4);
  });

  it.each([
    [["--where", "true"], "--where is tried on one watch"],
    [["--watch", "brand", "--where", "tweet.likes >"], "tweet.likes >"],
    [["--watch", "other"], "there is no watch other in this configuration"],
    [["--sink", "other"], "there is no sink other in this configuration"],
    [["--since", "soon"], "--since soon is not a time"],
    [["--until", "soon"], "--until soon is not a time"],
    [["--since", "1h", "--until", "2h"], "the period ends before it begins"],
    [["--limit", "few"], "--limit few is not a number of alerts"],
  ])("refuses %j", async (args, sentence) => {
    const { code, err, out } = await run(cwd, "backtest", ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
  });

  it("refuses a period before the archive, and says when the archive begins", async () => {
    const { code, err } = await run(cwd, "backtest", "--since", "3d", "--until", "2d");
    expect(code).toBe(1);
    expect(err).toContain(`the archive begins at ${isoTime(nowMs - 3 * HOUR)}, after the period`);
    expect(err).toContain("Choose a later --until");
  });

  it("refuses a configuration with errors, and --messages without a second one", async () => {
    const broken = makeFolder({ "watches.yaml": ACTIVE.replace("query:", "querry:") });
    const { code, err } = await run(broken, "backtest");
    expect(code).toBe(78);
    expect(err).toContain("querry");
    expect(await run(cwd, "plan", "--messages")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--messages compares two configurations"),
    });
  });
});

it("refuses a state without an archive, without a stored configuration, and none at all", async () => {
  const cwd = makeFolder({ "watches.yaml": ACTIVE });
  expect((await run(cwd, "backtest")).code).toBe(74);
  await makeState(cwd, []);
  expect(await run(cwd, "backtest")).toMatchObject({
    code: 1,
    err: expect.stringContaining("the state has no archive yet"),
  });
  const unstored = makeFolder({ "watches.yaml": ACTIVE });
  await makeState(unstored);
  const change = (sql: string) => {
    const database = new (loadDriver())(join(unstored, "s.db"));
    database.exec(sql);
    database.close();
  };
  change("update config_revisions set body = null");
  expect(await run(unstored, "backtest")).toMatchObject({
    code: 1,
    err: expect.stringContaining("the state has no stored configuration"),
  });
  change("insert into kysely_migration values ('9999-later', '2026')");
  expect(await run(unstored, "backtest")).toMatchObject({
    code: 74,
    err: expect.stringContaining("has schema 9999-later, but this build knows only up to"),
  });
});

it("fails as a command does if its thread cannot read the state", async () => {
  const facts = { startMs: 0, fromMs: 0, untilMs: 1, states: [], silences: [], acknowledged: [] };
  const state = { path: "/nonexistent/s.db" };
  const error: unknown = await replayInThread(
    { state, config: ACTIVE, facts },
    { onProgress: () => undefined },
  ).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExitError);
  expect(error).toMatchObject({
    ...{ code: "STATE_MISSING", exitCode: 74 },
    message: expect.stringContaining("/nonexistent/s.db"),
    hint: expect.stringMatching(/./),
  });
});
