/** `plan` and `call`, against one sandbox. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";
import { openStore } from "../../src/state/open.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { makeFolder } from "../support/bin-process.ts";
import { runCommand } from "../support/run-command.ts";
import { type SandboxProcess, startSandboxHere } from "../support/sandbox-process.ts";
import { cleanUpAfterwards, keep } from "../e2e/fixture.ts";

cleanUpAfterwards();

let sandbox: SandboxProcess;
beforeAll(async () => {
  sandbox = keep(await startSandboxHere(5_000));
  await sandbox.control("keys", { key: CALLER_KEY, quota: 5_000 });
});

/** The key for `call`. Calls are billed, and `plan` shows what its own key has left. */
const CALLER_KEY = "K9";

const config = (api: string, watches: string) => `version: 1
api: { base_url: "${sandbox.url}", key: K1${api} }
watches:
${watches}
sinks: { out: { type: console } }
ops: { sink: out }
`;
const TWICE = `  a: { type: search, query: acme, schedule: "@every 1h", sink: out }
  b: { type: search, query: acme, schedule: "@every 1h", sink: out }`;
const FAST = `  fast: { type: timeline, accounts: [alice, bob], schedule: "@every 1m", sink: out }
  scores: { type: score_delta, accounts: [acme], when: { week_delta: ">= 25" }, schedule: "@every 1h", sink: out }`;

const plan = (text: string, ...flags: readonly string[]) =>
  runCommand(["plan", ...flags], { cwd: makeFolder({ "watches.yaml": text }) });

describe("plan", () => {
  it("compares with the configured quota, counts a shared poll once, and sends no request", async () => {
    const before = await sandbox.control("requests");
    const { code, out } = await plan(
      config(", quota: { monthly: 760, reserve: 10% }", TWICE),
      "--json",
    );
    const view = JSON.parse(out);
    expect(view.quota).toMatchObject({ limit: 760, source: "configured" });
    expect(view.total).toMatchObject({ polls: 1, requests_per_month: 720 });
    expect(view.watches).toMatchObject([
      {
        id: "a",
        shared_with: ["b"],
        requests_per_month: 360,
        delay_seconds: { p50: 1_800, p95: 3_420 },
      },
      {},
    ]);
    expect(view.watches[0].next_runs).toHaveLength(5);
    expect(view.warnings.join()).toContain("the reserve");
    expect(code).toBe(0);
    expect(await sandbox.control("requests")).toEqual(before);
  });

  it("without a configured quota uses what the key has left, and spends nothing", async () => {
    const { code, out } = await plan(config("", TWICE));
    expect(out).toContain("Quota: 5,000 requests, what the key has left");
    expect(out).toMatch(/^a +search +@every 1h +single +1 +0\.5 +12 +360 /m);
    expect(code).toBe(0);
    const after = await plan(config("", TWICE), "--json");
    expect(JSON.parse(after.out).quota.limit).toBe(5_000);
  });

  it("over budget ends with 3, naming the most expensive watch and a schedule that fits", async () => {
    const { code, err, out } = await plan(config("", FAST));
    expect(code).toBe(3);
    expect(err).toContain("over budget");
    expect(err).toContain("Most expensive: fast, scores");
    expect(JSON.parse((await plan(config("", FAST), "--json")).out)).toMatchObject({
      dearest: ["fast", "scores"],
    });
    expect(err).toMatch(/This fits, at [\d,]+ a month: `schedule: "@every 15m"` on fast\./);
    expect(out).toContain("2 accounts not looked up yet");
    expect(out).toContain("scores: accounts that the service has not indexed have no score");
    expect(out).toMatch(/Warnings:\n.*score_delta data changes about every 1d/);
  });

  it("proposes nothing that the file would be refused with", async () => {
    const within = (keys: string, monthly: number) =>
      plan(
        config(
          `, quota: { monthly: ${monthly} }`,
          `  s: { type: search, query: acme, schedule: "@every 1m", ${keys}, sink: out }`,
        ),
      );
    for (const keys of [
      "max_age: 1h",
      "no_events: { for: 1h }",
      "spike: { factor: 3, min: 5, window: 30m }",
    ]) {
      expect((await within(keys, 1_700)).err).toContain(
        'This fits, at 1,440 a month: `schedule: "@every 30m"` on s.',
      );
      expect((await within(keys, 1_000)).err).toMatch(
        /No schedule fits this quota: .* A short `max_age`, `no_events` or `spike`/,
      );
    }
  });

  it("stays short for many watches that share: names a few, and says once what they can miss", async () => {
    const many = Array.from(
      { length: 200 },
      (_, i) => `  w${i}: { type: search, query: acme, schedule: "@every 1h", sink: out }`,
    ).join("\n");
    const { out, code } = await plan(config("", many));
    expect(code).toBe(0);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThan(200);
    expect(out).toMatch(/^w7 .* shared with w0, w1, w2 and 196 more$/m);
    expect(out).toMatch(
      /What these watches can miss:\n {2}w0, w1, w2 and 197 more: tweets of accounts .*\n?$/,
    );
    const view = JSON.parse((await plan(config("", many), "--json")).out);
    expect(view.watches[7]).toMatchObject({ sharers: 199 });
    expect(view.watches[7].shared_with).toHaveLength(20);
  });

  it("says that profiles cost nothing more if the requests of timelines bring them", async () => {
    const accounts = 'accounts: [alice, bob, acme, rival], schedule: "@every 10m"';
    const { out } = await plan(
      config(
        "",
        `  t: { type: timeline, ${accounts}, sink: out }\n  p: { type: profile, ${accounts}, sink: out }`,
      ),
    );
    expect(out).toMatch(/^p +profile .* 0 +0 +0 .*polled in requests of other watches; /m);
  });

  it("shows strategy, pace by the hour, money and the next five runs", async () => {
    const text = config(
      ', quota: { monthly: 5000, price: { per_request: 0.005, currency: "€" } }',
      TWICE,
    );
    const { out, code } = await plan(text);
    expect(out).toMatch(/^a +search +@every 1h +single +1 +0\.5 +12 +360 +7\.2% +€1\.80 +30m /m);
    expect(out).toContain("720 a month (€3.60)");
    expect(out).toMatch(/^a +(\d\d-\d\d \d\d:\d\d:\d\d ?){5}/m);
    const view = JSON.parse((await plan(text, "--json")).out);
    expect(view.watches[0]).toMatchObject({
      strategies: ["single"],
      requests_per_hour: 0.5,
      quota_share: 0.072,
      cost_per_month: 1.8,
    });
    expect(view).toMatchObject({ changes: [], price: { per_request: 0.005, currency: "€" } });
    expect(code).toBe(0);
    const cheap = await plan(
      config(', quota: { monthly: 5000, price: { per_request: 0.000001, currency: "€" } }', TWICE),
    );
    expect(cheap.out).toContain("720 a month (€0.00072)");
  });

  it("proposes a public list where that is fastest, and a slower schedule", async () => {
    const handles = Array.from({ length: 400 }, (_, i) => `someone${i}`).join(", ");
    const watch = `  big: { type: timeline, accounts: [${handles}], schedule: "@every 10s", sink: out }`;
    const { code, err, out } = await plan(config(", quota: { monthly: 150000 }", watch), "--json");
    expect(code).toBe(3);
    expect(err).toMatch(
      /a public list of the 400 handles of big \(`via_list`\), read every 30s: 15s instead of \d+/,
    );
    expect(err).toMatch(/\nOr, at [\d,]+ a month: `schedule: "@every 2m"` on big\.\n$/);
    expect(JSON.parse(out).changes.map((change: { kind: string }) => change.kind)).toEqual([
      "list",
      "slower",
    ]);
  });

  it("says what accounts that leave their list would add, which nobody can predict", async () => {
    const watch = `  t: { type: timeline, accounts: [alice, bob, acme], via_list: "77", schedule: "@every 10m", sink: out }`;
    const { out } = await plan(config("", watch));
    expect(out).toContain(
      "Possible extra requests:\n  t: each account that leaves the list 77 adds up to 4,320 requests a month until it is back\n",
    );
    const view = JSON.parse((await plan(config("", watch), "--json")).out);
    expect(view.watches[0].via_list).toEqual({
      list: "77",
      missing: 0,
      most_requests_per_month_each: 4_320,
    });
  });

  it("says which part of it is estimated, and what that assumes, before anything was counted", async () => {
    const many = `  f: { type: new_followers, accounts: [alice, bob], source: all, schedule: "@every 1h", sink: out }`;
    const scores = `  d: { type: score_delta, accounts: [acme], when: { week_delta: ">= 25" }, schedule: "15 6 * * *", sink: out }`;
    const { out } = await plan(config("", `${many}\n${scores}`));
    expect(out).toMatch(
      /These are estimates until the daemon has counted a day\. They assume:\n(?: {2}f: .*\n)+\n/,
    );
    expect(out).toContain(
      "  f: each of its lists fits on one page; a longer list costs one request per page\n",
    );
    const view = JSON.parse((await plan(config("", `${many}\n${scores}`), "--json")).out);
    expect(view.watches.map(({ basis }: { basis: string }) => basis)).toEqual([
      "assumed",
      "schedule",
    ]);
    expect(view.watches[1].assumes).toEqual([]);
  });

  it("says between which bounds it lies until a day was counted, and what the first reads take", async () => {
    const accounts = Array.from({ length: 60 }, (_, index) => `user${index}`).join(", ");
    const timeline = `  t: { type: timeline, accounts: [${accounts}], schedule: "@every 10m", sink: out }`;
    const { out } = await plan(config("", timeline));
    expect(out).toMatch(
      /\nThat is the midpoint of [\d,]+ to [\d,]+ a month, until the daemon has counted a day\.\n/,
    );
    const { requests_per_month: month, requests_per_month_range: range } = JSON.parse(
      (await plan(config("", timeline), "--json")).out,
    ).total;
    expect(range.unknown_accounts).toBe(60);
    expect(range.low).toBeLessThan(0.95 * month);
    expect(range.high).toBeGreaterThan(1.05 * month);
    expect(out).toContain(
      "\nOnce, at the start: 61 more requests, to read what is there already and to look up handles.\n",
    );
    const search = `  s: { type: search, query: "acme", schedule: "@every 10m", sink: out }`;
    const { total } = JSON.parse((await plan(config("", search), "--json")).out);
    expect(total).toMatchObject({ requests_per_month_range: null, first_requests: 0 });
  });

  it("keeps to freshness where no probe helps: of searches, through a list, and where each account is asked for by itself", async () => {
    const freshness = "freshness: { mean: 60s, max: 1h }";
    const listed = `  listed: { type: timeline, accounts: [alice, bob, acme], via_list: "77", ${freshness}, sink: out }`;
    const single = `  single: { type: timeline, accounts: [alice], strategy: single, ${freshness}, sink: out }`;
    const search = `  search: { type: search, query: "acme lang:en", ${freshness}, sink: out }`;
    const view = JSON.parse(
      (await plan(config("", `${search}\n${listed}\n${single}`), "--json")).out,
    );
    for (const watch of view.watches)
      expect(watch).toMatchObject({
        schedule: "mean 1m, at most 1h",
        delay_seconds: { p50: 57, p95: 132 },
      });
    expect([view.watches[0], view.watches[2]].map((watch) => watch.requests_per_day)).toEqual([
      576, 576,
    ]);
  });

  it("proposes looser freshness of a search that does not fit", async () => {
    const { code, out, err } = await plan(
      config("", `  s: { type: search, query: "acme lang:en", freshness: 60s, sink: out }`),
    );
    expect(code).toBe(3);
    expect(out).toMatch(/^s +search +within 1m +single +1 +42 +1,008 /m);
    expect(out).toMatch(
      /^s +(\d\d-\d\d \d\d:\d\d:\d\d +){5}\(estimates: they depend on what is found\)$/m,
    );
    expect(err).toMatch(/This fits, at [\d,]+ a month: `freshness: \d+m` on s\./);
  });

  it("adds up the quotas of several keys, asking only about those that name none", async () => {
    await sandbox.control("keys", { key: "K2", quota: 700 });
    const keys = `version: 1\napi: { base_url: "${sandbox.url}", keys: [{ key: K1, monthly: 300 }, K2] }\nwatches:\n${TWICE}\nsinks: { out: { type: console } }\nops: { sink: out }\n`;
    const { out } = await plan(keys, "--json");
    expect(JSON.parse(out).quota).toMatchObject({ limit: 1_000, source: "remaining_requests" });
    const { out: other } = await plan(keys.replace("K2]", "{ key: K2, monthly: 60 }]"), "--json");
    expect(JSON.parse(other).quota).toMatchObject({ limit: 360, source: "configured" });
  });

  it("goes by what keys may spend together where the month's own limit is above that", async () => {
    const keys = (monthly: number) =>
      config(`, quota: { monthly: ${monthly} }`, TWICE).replace(
        "key: K1",
        "keys: [{ name: a, key: K1, monthly: 200 }, { name: b, key: K2, monthly: 300 }]",
      );
    expect((await plan(keys(5_000))).code).toBe(3);
    expect(JSON.parse((await plan(keys(5_000), "--json")).out).quota.limit).toBe(500);
    expect(JSON.parse((await plan(keys(400), "--json")).out).quota.limit).toBe(400);
  });

  it("--diff asks the service what is left for either file that names no quota", async () => {
    const cwd = makeFolder({ "watches.yaml": config("", TWICE), "other.yaml": config("", FAST) });
    const { code, out } = await runCommand(["plan", "--diff", "other.yaml"], { cwd });
    expect(out).toContain("; the quota is 5,000.");
    expect(code).toBe(3);
  });

  it("--diff compares two files watch by watch, and ends by what the other one costs", async () => {
    const before = config(", quota: { monthly: 5000, price: { per_request: 0.01 } }", TWICE);
    const after = `${before.replace('b: { type: search, query: acme, schedule: "@every 1h"', 'c: { type: search, query: rival, schedule: "@every 30m"')}`;
    const cwd = makeFolder({ "watches.yaml": before, "other.yaml": after });
    const { code, out } = await runCommand(["plan", "--diff", "other.yaml"], { cwd });
    expect(out).toMatch(/^c +added +- +1,440 +\+1,440 /m);
    expect(out).toMatch(/^b +removed +360 +- +-360 /m);
    expect(out).toMatch(/^a +360 +720 +\+360 /m);
    expect(out).toContain(
      "Total: 720 -> 2,160 requests a month, +1,440 (+$14.40); the quota is 5,000.",
    );
    expect(code).toBe(0);
    const json = JSON.parse(
      (await runCommand(["plan", "--diff", "other.yaml", "--json"], { cwd })).out,
    );
    expect(json.total).toEqual({
      before: 720,
      after: 2_160,
      difference: 1_440,
      cost_difference: 14.4,
    });
    expect(
      json.watches.map((line: { id: string; state: string }) => `${line.id} ${line.state}`),
    ).toEqual(["c added", "a changed", "b removed"]);
    expect(out).toMatch(/^ {2}c: new baseline \(.*\n {2}b: dropped \(/m);
    expect(out).toContain("\n\nThe change itself would send nothing.\n\n");
    expect(json.memory).toMatchObject([
      { watch: "c", part: "watch", effect: "new_baseline" },
      { watch: "b", part: "watch", effect: "dropped" },
    ]);
    const edited = makeFolder({
      "watches.yaml": before,
      "other.yaml": before.replace("query: acme", "query: rival"),
    });
    const { out: query } = await runCommand(["plan", "--diff", "other.yaml"], { cwd: edited });
    expect(query).toMatch(/^Effect on what the watches remember:\n {2}a: query: new baseline /m);
    const filtered = makeFolder({
      "watches.yaml": before,
      "other.yaml": before.replace("query: acme", "where: 'tweet.likes_count > 1', query: acme"),
    });
    const { out: filter } = await runCommand(["plan", "--diff", "other.yaml"], { cwd: filtered });
    expect(filter).toMatch(
      /^No watch changes in cost or delay\.\n\nEffect on what the watches remember:\n {2}a: where: kept /,
    );
    const first = makeFolder({
      "watches.yaml": before,
      "other.yaml": after.replace("query: rival", "query: rival, first_run: { latest: 3 }"),
    });
    const { out: sent } = await runCommand(["plan", "--diff", "other.yaml"], { cwd: first });
    expect(sent).toContain("\nWhat would be sent:\n  c: the latest 3 of each target (first_run)\n");
    const same = await runCommand(["plan", "--diff", "watches.yaml"], { cwd });
    expect(same.out).toContain("No watch changes.");
    const dear = makeFolder({
      "watches.yaml": before,
      "other.yaml": after.replace("monthly: 5000", "monthly: 2000"),
    });
    expect((await runCommand(["plan", "--diff", "other.yaml"], { cwd: dear })).code).toBe(3);
  });

  it("a service that cannot be reached leaves the quota unknown, and the plan good", async () => {
    const text = config("", TWICE).replace(sandbox.url, "http://127.0.0.1:1");
    const { code, out } = await plan(text);
    expect(out).toContain("Quota: unknown (");
    expect(code).toBe(0);
  });
});

describe("call", () => {
  const folder = () => makeFolder();
  const env = () => ({ CHIRPWATCH_API_URL: sandbox.url, CHIRPWATCH_API_KEY: CALLER_KEY });
  const call = (...args: readonly string[]) =>
    runCommand(["call", ...args], { cwd: folder(), env: env() });

  it("lists every endpoint with cost and page size, and needs no service for it", async () => {
    const { code, out } = await runCommand(["call", "--list"], { cwd: folder() });
    expect(out).toMatch(/^followers +GET +1 request a page +200 /m);
    expect(out).toMatch(/^key-usage-info +GET +free /m);
    expect(out.trim().split("\n")).toHaveLength(44);
    expect(code).toBe(0);
  });

  it("prints JSON with the cursor, and says what it cost", async () => {
    const { code, out, err } = await call(
      "search-tweets",
      "--query",
      "-cat acme",
      "--order",
      "latest",
    );
    const answer = JSON.parse(out);
    expect(answer.tweets.length).toBeGreaterThan(0);
    expect(answer.next_cursor).toEqual(expect.any(String));
    expect(err).toContain("1 request billed; there is more");
    expect(code).toBe(0);
  });

  it("follows the cursor to its end", async () => {
    const { out, err } = await call("followers", "--username", "bob", "--all");
    const answer = JSON.parse(out);
    expect(answer.next_cursor).toBeNull();
    expect(answer.users.length).toBeGreaterThan(200);
    expect(err).toMatch(/^[\d,]+ items, \d+ requests billed\n$/);
  });

  it("stops at a limit, and says what came beyond it", async () => {
    const { out, err } = await call("followers", "--username", "bob", "--limit", "5");
    expect(JSON.parse(out).users).toHaveLength(5);
    expect(err).toMatch(
      /^5 items, 1 request billed; [\d,]+ more items arrived but are not shown; there is more: add /,
    );
  });

  it("prints a table when asked to, of a batch as well", async () => {
    const { out } = await call("info-batch", "--usernames", "alice", "--usernames=bob", "--table");
    expect(out).toMatch(/^ID +HANDLE +NAME +FOLLOWERS +DESCRIPTION\n\d+ +@alice /);
    expect(out).toContain("@bob");
  });

  it("refuses a wrong input with 2 before anything is sent", async () => {
    const before = await sandbox.control("requests");
    const { code, err } = await call("info", "--user_id", "alice");
    expect(err).toContain('"--user_id" must be a string of digits');
    expect(code).toBe(2);
    expect(await sandbox.control("requests")).toEqual(before);
  });

  it("counts what it spends in the ledger of the state, where there is one", async () => {
    const text = config("", TWICE)
      .replace("version: 1", "version: 1\nstate: { path: ./state.db }")
      .replace("K1", CALLER_KEY);
    const cwd = makeFolder({ "watches.yaml": text });
    const path = join(cwd, "state.db");
    const deps = {
      clock: createSystemClock(),
      random: createSystemRandom(),
      log: rememberingLog(),
    };
    await (await openStore({ path, ...deps })).close();
    const { code, err } = await runCommand(
      ["call", "user-tweets", "--username", "bob", "--limit", "30"],
      { cwd },
    );
    // The read takes two pages, or more if some of them were short.
    const billed = Number(/(\d+) requests billed/.exec(err)?.[1]);
    expect(billed).toBeGreaterThanOrEqual(2);
    expect(code).toBe(0);
    await runCommand(["call", "key-usage-info"], { cwd });
    await runCommand(["call", "info", "--username", "two words"], { cwd });
    const store = await openStore({ path, ...deps });
    const spent = await store.spentSince(0);
    await store.close();
    expect(spent).toMatchObject({
      total: billed,
      lines: [{ watch: "call", endpoint: "user-tweets", requests: billed }],
    });
  });

  it("has no colour in anything it prints", async () => {
    const { out, err } = await call("info", "--username", "bob", "--table");
    expect(`${out}${err}`).not.toContain("\u001b");
  });

  it("names the nearest parameter for one that is none, and what there is", async () => {
    const { code, err } = await call("info", "--usernme", "bob");
    expect(err).toContain("info has no parameter --usernme; did you mean `--username`?");
    expect(err).toContain(
      "Give exactly one of --user_link, --username, --user_id. Nothing was sent.",
    );
    expect(code).toBe(2);
  });

  it("names the nearest endpoint for one that is none", async () => {
    const { code, err } = await call("followerz");
    expect(err).toContain("did you mean `followers`?");
    expect(code).toBe(2);
  });

  it("says what the service said, and ends with 1", async () => {
    const { code, err } = await call("info", "--username", "nobody_here_9");
    expect(err).toContain("404");
    expect(code).toBe(1);
  });

  it("without file and environment says what to set, and ends with 78", async () => {
    const { code, err } = await runCommand(["call", "info", "--username", "bob"], {
      cwd: folder(),
    });
    expect(err).toContain("CHIRPWATCH_API_URL is not set");
    expect(code).toBe(78);
  });
});
