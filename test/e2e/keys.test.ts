/** Several keys on one daemon: they share the load, each within its own rate and quota, and one that dies is suspended. What the service counted: test/app/key-audit.test.ts. */
import { describe, expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { baseConfig, farResetDay, startDaemonProcess, writeConfig } from "../support/daemon-process.ts";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, createFixture } from "./fixture.ts";

cleanUpAfterwards();

interface Logged {
  readonly at: string;
  readonly key: string;
  readonly endpoint: string;
  readonly status: number;
}

const SECRETS = ["secret-of-the-first", "secret-of-the-second"] as const;

/** Watches of scores: nothing is cheaper to answer. */
async function setup(count: number, keys: readonly (object | string)[], api: object = {}) {
  const folder = makeFolder();
  const sandbox = await startSandboxProcess(folder);
  for (const key of SECRETS) await sandbox.control("keys", { key, quota: 900_000_000 });
  const { indexed_handles: handles } = await sandbox.control("sample");
  const watches = { w: { type: "score_delta", accounts: handles.slice(0, count), when: { week_delta: ">= 1000000" } } };
  writeConfig(folder, {
    ...baseConfig(sandbox.url),
    api: { base_url: sandbox.url, keys, ...api },
    defaults: { watch: { schedule: "@every 1s" } },
    sinks: { out: { type: "console" } },
    ops: { sink: "out" },
    watches,
  });
  return { folder, sandbox, daemon: await startDaemonProcess({ folder }) };
}

const requests = async (sandbox: SandboxProcess): Promise<readonly Logged[]> => (await sandbox.control("requests")).requests;

/** The most requests within any one second. */
function busiest(logged: readonly Logged[]): number {
  const times = logged.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
  return Math.max(
    0,
    ...times.map((time, i) => times.slice(i).findIndex((other) => other >= time + 1_000)).map((n, i) => (n < 0 ? times.length - i : n)),
  );
}

describe.concurrent("several keys", () => {
  it("share the load, each within its own rate, and are never shown", async () => {
    const [first, second] = SECRETS;
    const { sandbox, daemon } = await setup(20, [{ key: first, name: "first" }, second], { rate_limit: { count: 4, interval: "1s" } });
    await until("traffic", async () => (await requests(sandbox)).length >= 80, daemon.err);
    const logged = await requests(sandbox);
    const of = (key: string) => logged.filter((one) => one.key === key);
    expect(of(first).length).toBeGreaterThan(25);
    expect(of(second).length).toBeGreaterThan(25);
    expect(Math.max(busiest(of(first)), busiest(of(second)))).toBeLessThanOrEqual(4);
    expect(busiest(logged)).toBeGreaterThan(4);
    expect(logged.filter(({ status }) => status === 429)).toEqual([]);
    const said = `${daemon.err()}${daemon.out()}${await daemon.get("/api/v1/status")}${await daemon.get("/metrics")}`;
    for (const secret of SECRETS) expect(said).not.toContain(secret);
  });

  it("go on without one that dies, which is reported once; without any, polling stops", async () => {
    const [first, second] = SECRETS;
    const { sandbox, daemon } = await setup(4, [
      { key: first, name: "first" },
      { key: second, name: "second" },
    ]);
    await until("both to pay", async () => new Set((await requests(sandbox)).map(({ key }) => key)).size === 2, daemon.err);
    await fetch(`${sandbox.url}/_sandbox/keys/${second}`, { method: "DELETE" });
    const refused = await daemon.logged("ops alert");
    expect(refused).toMatchObject({ alert: "key.refused", subject: "second" });
    const before = (await requests(sandbox)).length;
    await until("more polls", async () => (await requests(sandbox)).length >= before + 20, daemon.err);
    expect((await requests(sandbox)).slice(before).filter(({ key }) => key !== first)).toEqual([]);
    const status = await daemon.status();
    expect(status.state).toBe("degraded");
    expect(status.reasons.join()).toContain("the key second is suspended");
    await fetch(`${sandbox.url}/_sandbox/keys/${first}`, { method: "DELETE" });
    await until("the stop", async () => (await daemon.status()).state === "paused", daemon.err);
    const raised = daemon.log().filter(({ msg }) => msg === "ops alert");
    expect(raised.map(({ alert }) => alert)).toEqual(["key.refused", "key.refused", "upstream.dark"]);
  });

  it("wait each for itself after a 429: one goes on while the other is paused, and the pause is kept", async () => {
    const { api, configure, start } = await createFixture();
    const [first, second] = SECRETS;
    for (const secret of SECRETS) api.keys.add(secret);
    const handles = ["a_one", "a_two", "a_three", "a_four"];
    for (const handle of handles) api.score(api.account(handle), { week_delta: 1, month_delta: 1 });
    let [refused, paid] = [0, 0];
    let isStorm = false;
    api.fault((endpoint, response, key) => {
      if (endpoint === "key-usage-info") return false;
      if (key === first && isStorm) paid += 1;
      if (key !== second || !isStorm) return false;
      refused += 1;
      response.writeHead(429, { "content-type": "application/json", "retry-after": "600" });
      response.end('{"message":"too many requests"}');
      return true;
    });
    const keys = [
      { key: first, name: "first" },
      { key: second, name: "second" },
    ];
    configure({
      api: { base_url: api.url, keys },
      watches: { w: { type: "score_delta", accounts: handles, when: { week_delta: ">= 1000000" } } },
    });
    const daemon = await start();
    await until("both to pay", () => api.count("score-changes") >= 12, daemon.err);
    isStorm = true;
    await until("the first refusal", () => refused > 0, daemon.err);
    // What was under way when it came has arrived long before two more rounds of polls.
    const before = paid;
    await until("the other to go on", () => paid >= before + 10, daemon.err);
    const underWay = refused;
    await until("the other to go on further", () => paid >= before + 40, daemon.err);
    expect(refused).toBe(underWay);
    expect((await daemon.status()).state).toBe("running");
  });

  it("stop each at its own quota", async () => {
    const keys = [
      { key: SECRETS[0], name: "first", monthly: 15 },
      { key: SECRETS[1], name: "second", monthly: 25 },
    ];
    const { sandbox, daemon } = await setup(5, keys, {
      quota: { reset_day: farResetDay(), reserve: "0%", on_exhausted: "pause" },
    });
    await until("the line", async () => (await daemon.status()).quota.spent === 40, daemon.err);
    await until("the state", async () => (await daemon.status()).state === "paused", daemon.err);
    const { billed_by_key: billed } = await sandbox.control("requests");
    expect(billed).toEqual({ [SECRETS[0]]: 15, [SECRETS[1]]: 25 });
    expect((await daemon.status()).quota.limit).toBe(40);
  });
});
