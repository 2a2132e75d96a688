/**
 * Tests several keys on one daemon: they share the load, each within its own rate and quota, and
 * one that the service refuses is suspended. key-audit.test.ts compares with the service's count.
 */
import { expect, it } from "vitest";
import type { Http } from "../../src/model/http.ts";
import { KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const OTHER = "K2";
const BOTH = [
  { key: KEY, name: "first" },
  { key: OTHER, name: "second" },
];

interface Logged {
  readonly at: string;
  readonly key: string;
  readonly status: number;
}

/** Starts watches of scores, which are the cheapest to answer. */
async function setup(
  count: number,
  api: object,
  httpFilter: (http: Http) => Http = (http) => http,
) {
  const accounts = Array.from({ length: count }, (_, index) => `scored_${index}`);
  const daemon = await startInnerDaemon({
    api,
    watches: () => ({
      w: {
        type: "score_delta",
        accounts,
        when: { week_delta: ">= 1000000" },
        schedule: "@every 1s",
      },
    }),
    async prepare(control) {
      for (const username of accounts) await control("accounts", { username, indexed: true });
    },
    httpFilter,
  });
  const requests = async (): Promise<readonly Logged[]> =>
    (await daemon.control("requests")).requests;
  return { ...daemon, requests };
}

/** Returns the most requests within any one second. */
function busiest(logged: readonly Logged[]): number {
  const times = logged.map(({ at }) => Date.parse(at));
  return Math.max(
    0,
    ...times.map((time) => times.filter((other) => other >= time && other < time + SECOND).length),
  );
}

it("share the load, each within its own rate, and are never shown", async () => {
  const daemon = await setup(20, { keys: BOTH, rate_limit: { count: 4, interval: "1s" } });
  await daemon.clock.advance(20 * SECOND);
  const logged = await daemon.requests();
  const of = (key: string) => logged.filter((one) => one.key === key);
  expect(of(KEY).length).toBeGreaterThan(50);
  expect(of(OTHER).length).toBeGreaterThan(50);
  expect(Math.max(busiest(of(KEY)), busiest(of(OTHER)))).toBeLessThanOrEqual(4);
  expect(busiest(logged)).toBeGreaterThan(4);
  expect(logged.filter(({ status }) => status === 429)).toEqual([]);
  const said = JSON.stringify([
    daemon.logged,
    await daemon.status(),
    await daemon.metrics(),
    await daemon.page(),
  ]);
  for (const secret of [KEY, OTHER]) {
    expect(said).not.toMatch(new RegExp(`\\b${secret}\\b`));
    expect(daemon.secrets).toContain(secret);
  }
});

it("go on without one that dies, which is reported once; without any, polling stops", async () => {
  const daemon = await setup(4, { keys: BOTH });
  const { clock, control, requests, status, opsAlerts } = daemon;
  await clock.advance(10 * SECOND);
  expect(new Set((await requests()).map(({ key }) => key)).size).toBe(2);
  await control(`keys/${OTHER}`, undefined, "DELETE");
  await clock.advance(10 * SECOND);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["key.refused"]);
  const before = (await requests()).length;
  await clock.advance(20 * SECOND);
  const later = (await requests()).slice(before);
  expect(later.length).toBeGreaterThan(20);
  expect(later.filter(({ key }) => key !== KEY)).toEqual([]);
  expect(await status()).toMatchObject({
    state: "degraded",
    reasons: [expect.stringContaining("the key second is suspended")],
  });
  await control(`keys/${KEY}`, undefined, "DELETE");
  await clock.advance(10 * SECOND);
  expect((await status()).state).toBe("paused");
  expect(opsAlerts().map(({ type }) => type)).toEqual([
    "key.refused",
    "key.refused",
    "upstream.dark",
  ]);
});

it("wait each for itself after a 429: one goes on while the other is paused, and the pause is kept", async () => {
  let isStorm = false;
  let [refused, paid] = [0, 0];
  const storm = (http: Http): Http => ({
    async request(request) {
      if (!isStorm || request.headers?.["ApiKey"] === undefined) return http.request(request);
      if (request.headers["ApiKey"] !== OTHER) {
        paid += 1;
        return http.request(request);
      }
      refused += 1;
      const headers = { "content-type": "application/json", "retry-after": "600" };
      return { status: 429, headers, body: '{"message":"too many requests"}' };
    },
  });
  const { clock, status } = await setup(4, { keys: BOTH }, storm);
  await clock.advance(10 * SECOND);
  isStorm = true;
  await clock.advance(5 * SECOND);
  const underWay = refused;
  expect(underWay).toBeGreaterThan(0);
  const before = paid;
  await clock.advance(60 * SECOND);
  expect(paid).toBeGreaterThan(before + 40);
  expect(refused).toBe(underWay);
  expect((await status()).state).toBe("running");
});

it("stop each at its own quota, also over a restart", async () => {
  const keys = [
    { ...BOTH[0], monthly: 15 },
    { ...BOTH[1], monthly: 25 },
  ];
  const daemon = await setup(5, { keys, quota: { reserve: "0%", on_exhausted: "pause" } });
  await daemon.clock.advance(60 * SECOND);
  const { state, quota, reasons } = await daemon.status();
  expect({ state, limit: quota.limit, spent: quota.spent }).toEqual({
    state: "paused",
    limit: 40,
    spent: 40,
  });
  expect(reasons.join(" ")).toContain("quota is spent: 40 of 40");
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(60 * SECOND);
  expect((await daemon.control("requests")).billed_by_key).toEqual({ [KEY]: 15, [OTHER]: 25 });
});
