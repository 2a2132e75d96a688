/**
 * Tests that a free request can find out that the service refuses a key, long before the next poll.
 * The log, the page, `status` and all replicas then show it.
 */
import { expect, it } from "vitest";
import { KEY, ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";
import { makeInnerReplicas } from "../support/inner-replicas.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";

const MINUTE = 60_000;
const slow = { w: { type: "search", query: "zebra", schedule: "@every 12h", strategy: "single" } };
const WRONG = { keys: [{ key: "K-of-nobody", name: "main" }] };

it("a reload with a wrong key shows in status, page and metrics at once, is reported once, and ends with the right key", async () => {
  const { clock, reload, status, page, metric, opsAlerts, control, logged } =
    await startInnerDaemon({ watches: () => slow, api: ONE_KEY });
  await clock.advance(5 * MINUTE);
  const polls = async () => (await control("requests")).billed;
  const before = await polls();
  await reload(WRONG);
  await clock.advance(20_000);
  const { state, upstream, reasons } = await status();
  expect({ state, up: upstream.up }).toEqual({ state: "paused", up: false });
  expect(clock.now() - Date.parse(upstream.since ?? "")).toBeGreaterThan(10_000);
  expect(reasons.join()).toContain("the data service: ");
  expect(await page()).toContain("Not answering");
  expect(await metric("chirpwatch_upstream_up")).toBe(0);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["upstream.dark"]);
  expect(opsAlerts()[0]?.message).toContain("refuses the API key");
  expect(logged.filter(({ message }) => message === "key usage is unknown")).toHaveLength(1);
  expect(await polls()).toBe(before);
  await reload(ONE_KEY);
  await clock.advance(20_000);
  expect((await status()).upstream).toMatchObject({ up: true, reason: "", since: null });
  expect(await metric("chirpwatch_upstream_up")).toBe(1);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["upstream.dark", "upstream.recovered"]);
});

it("a key that the service takes again is noticed by the next question, without a poll of its own", async () => {
  const { clock, status, control } = await startInnerDaemon({ watches: () => slow, api: ONE_KEY });
  await clock.advance(MINUTE);
  await control(`keys/${KEY}`, undefined, "DELETE");
  await clock.advance(16 * MINUTE);
  expect((await status()).upstream.up).toBe(false);
  await control("keys", { key: KEY, quota: 100_000 });
  await clock.advance(16 * MINUTE);
  expect((await status()).upstream.up).toBe(true);
});

it("every replica shows the refusal, and that it ended", async () => {
  const { clock, add, control } = await makeInnerReplicas(slow);
  const replicas = [await add(), await add(), await add()];
  const up = async () =>
    Promise.all(
      replicas.map(async ({ url }) => {
        const { upstream } = (await (
          await fetch(`${url.replace(/\/$/, "")}/api/v1/status`)
        ).json()) as StatusView;
        return upstream.up;
      }),
    );
  await clock.advance(MINUTE);
  expect(await up()).toEqual([true, true, true]);
  await control("keys/K1", undefined, "DELETE");
  await clock.advance(17 * MINUTE);
  expect(await up()).toEqual([false, false, false]);
  await control("keys", { key: "K1", quota: 100_000 });
  await clock.advance(18 * MINUTE);
  expect(await up()).toEqual([true, true, true]);
});

it("an outage from the start is reported although no account is known yet, so that nothing can be polled", async () => {
  const watches = { w: { type: "timeline", accounts: ["@anna"], schedule: "@every 1m" } };
  const { clock, status, control, opsAlerts } = await startInnerDaemon({
    watches: () => watches,
    prepare: async (controlled) => {
      await controlled("accounts", { username: "anna" });
      await controlled("faults", { name: "server_error", for_ms: 60 * MINUTE });
    },
  });
  for (let minute = 3; minute < 30; minute += 3) {
    await clock.advance(3 * MINUTE);
    expect((await status()).upstream.up).toBe(false);
  }
  expect(opsAlerts().map(({ type }) => type)).toEqual(["upstream.dark"]);
  await control("faults", undefined, "DELETE");
  await clock.advance(6 * MINUTE);
  expect((await status()).upstream.up).toBe(true);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["upstream.dark", "upstream.recovered"]);
});
