/**
 * Tests a sink and a data service that ask to wait for years: what the operator sees, and what ends
 * the wait.
 */
import { expect, it } from "vitest";
import { formatStatus } from "../../src/cli/inspect/status-text.ts";
import type { Http } from "../../src/model/http.ts";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const YEARS = "9999999";

const setUp = (more: Partial<InnerDaemonOptions> = {}) =>
  startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s" } }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    ...more,
  });

it("fault 91: a sink is failing after two minutes, with the time of its next attempt, and is tried once by a resume, other settings and a restart", async () => {
  const sink: Record<string, unknown> = { timeout: "15s" };
  const { clock, control, hook, status, opsAlerts, page, metric, call, reload, stop, start } =
    await setUp({ sink });
  await clock.advance(30 * SECOND);
  hook.answer((_, response) => response.writeHead(429, { "retry-after": YEARS }).end());
  await control("tweets", { username: "loud_one", text: "a new zebra" });
  await clock.advance(MINUTE);
  expect(hook.messages()).toHaveLength(1);
  expect((await status()).sinks[0]?.waits).toMatchObject([
    { cause: "rate_limited", until: expect.any(String) as string },
  ]);
  await clock.advance(2 * MINUTE);
  const view = await status();
  expect(view.state).toBe("degraded");
  expect(view.sinks[0]).toMatchObject({
    breaker: "open",
    reason: "the webhook asks to wait 9999999 s",
    waiting: 1,
  });
  expect(Date.parse(view.sinks[0]?.next_attempt_at ?? "") - clock.now()).toBeLessThan(60 * MINUTE);
  expect(formatStatus(view, clock.now())).toMatch(
    /takes no messages for \d+m.*: the webhook asks to wait 9999999 s; next attempt in 5\dm/,
  );
  expect(await page()).toContain("the webhook asks to wait 9999999 s, for ");
  expect(await metric("chirpwatch_breaker_open", 'sink="hook"')).toBe(1);
  expect(opsAlerts()).toEqual([
    { type: "sink.failing", message: "hook takes no messages: the webhook asks to wait 9999999 s" },
  ]);
  let attempts = hook.messages().length;
  const triedOnce = async () => {
    await clock.advance(10 * SECOND);
    expect(hook.messages()).toHaveLength(++attempts);
  };
  await call("sinks/hook/resume", "POST");
  await triedOnce();
  // A change of an unrelated setting does not end the wait.
  await reload({ timeout: "20s" });
  await clock.advance(10 * SECOND);
  expect(hook.messages()).toHaveLength(attempts);
  sink["timeout"] = "20s";
  await reload();
  await triedOnce();
  await stop();
  await start();
  await triedOnce();
  hook.answer((_, response) => response.writeHead(204).end());
  await call("sinks/hook/resume", "POST");
  await triedOnce();
  expect(await status()).toMatchObject({
    state: "running",
    sinks: [{ breaker: "closed", waiting: 0 }, {}],
  });
  expect(opsAlerts().map(({ type }) => type)).toEqual(["sink.failing", "sink.recovered"]);
});

it("fault 91: the data service is down after two minutes, with the time of the next request, and is asked once by a resume and other settings", async () => {
  let [isStorm, refused] = [false, 0];
  const httpFilter = (http: Http): Http => ({
    async request(request) {
      if (!isStorm || request.headers?.["ApiKey"] === undefined) return http.request(request);
      // The check of the keys is free, so it is not counted.
      if (!request.url.includes("key-usage-info")) refused += 1;
      return {
        status: 429,
        headers: { "content-type": "application/json", "retry-after": YEARS },
        body: '{"message":"slow"}',
      };
    },
  });
  const api = { keys: [{ key: "K1", name: "main" }] };
  const { clock, control, hook, status, opsAlerts, page, metric, call, reload } = await setUp({
    httpFilter,
    api,
  });
  await clock.advance(30 * SECOND);
  isStorm = true;
  await control("tweets", { username: "loud_one", text: "a new zebra" });
  await clock.advance(3 * MINUTE);
  expect(refused).toBe(1);
  const view = await status();
  expect(view).toMatchObject({ state: "degraded", upstream: { up: false, reason: "throttled" } });
  expect(view.reasons).toEqual([
    expect.stringMatching(/^the data service: throttled \(since .* UTC; next request .* UTC\)$/),
  ]);
  expect(clock.now() - Date.parse(view.upstream.since ?? "")).toBeGreaterThan(2 * MINUTE);
  expect(Date.parse(view.upstream.next_attempt_at ?? "") - clock.now()).toBeLessThanOrEqual(
    5 * MINUTE,
  );
  expect(await page()).toContain("next request");
  expect(await metric("chirpwatch_upstream_up")).toBe(0);
  expect(opsAlerts()).toEqual([
    { type: "upstream.dark", message: expect.stringContaining("nothing but 429 since") as string },
  ]);
  await call("watches/w/resume", "POST");
  await clock.advance(10 * SECOND);
  expect(refused).toBe(2);
  await reload({ ...api, timeout: "20s" });
  await clock.advance(10 * SECOND);
  expect(refused).toBe(3);
  isStorm = false;
  await reload({ ...api, timeout: "25s" });
  await clock.advance(20 * SECOND);
  expect(hook.events()).toHaveLength(1);
  expect(await metric("chirpwatch_upstream_up")).toBe(1);
  expect(await status()).toMatchObject({
    state: "running",
    upstream: { up: true, next_attempt_at: null },
  });
  expect(opsAlerts().map(({ type }) => type)).toEqual(["upstream.dark", "upstream.recovered"]);
});
