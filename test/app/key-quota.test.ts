/** Tests how much several keys may spend, in the whole daemon. */
import { expect, it } from "vitest";
import { KEY, ONE_KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const EACH = 120;

it("a key that is refused near the soft limit stops no poll that another key can pay for", async () => {
  const keys = [
    { key: KEY, name: "first", monthly: EACH },
    { key: "K2", name: "second", monthly: EACH },
  ];
  const { clock, control, status } = await startInnerDaemon({
    api: { keys, quota: { reserve: "0%", on_exhausted: "pause" } },
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 1s" } }),
    prepare: (ask) => ask("keys", { key: "K2", quota: 1_000 }),
  });
  const spentBy = async (key: string): Promise<number> =>
    (await control("requests")).billed_by_key[key] ?? 0;
  // Both keys pay in turn. The daemon's own count of the quota is as old as it can get.
  while ((await spentBy("K2")) < EACH - 10) await clock.advance(SECOND);
  await control("keys/K2", undefined, "DELETE");
  await clock.advance(20 * SECOND);
  expect(await spentBy(KEY)).toBe(EACH);
  expect((await status()).reasons.join()).toContain("the key second is suspended");
});

it("a key with fewer requests left than the configuration allows is paced by them, and raises an ops alert", async () => {
  const { clock, control, status, opsAlerts } = await startInnerDaemon({
    api: { ...ONE_KEY, quota: { monthly: 10_000 } },
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 5m" } }),
    prepare: (ask) => ask("keys", { key: KEY, quota: 300 }),
  });
  // At the pace of the schedule the quota would be spent after a day, with three weeks to go.
  await clock.advance(12 * 3_600 * SECOND);
  const { state, reasons } = await status();
  expect((await control("requests")).billed).toBeLessThan(60);
  expect(state).toBe("degraded");
  expect(reasons.join()).toContain(
    "the data service has less left than api.quota.monthly: 300 requests instead of 10000",
  );
  expect(opsAlerts()).toEqual([
    {
      type: "quota.low",
      message: expect.stringContaining("as the data service has less left than api.quota.monthly"),
    },
  ]);
});

it("a key that is replaced under its name by one with another quota raises no alarm", async () => {
  const { clock, reload, status, opsAlerts } = await startInnerDaemon({
    api: ONE_KEY,
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 5m" } }),
    prepare: (ask) => ask("keys", { key: "K2", quota: 200_000 }),
  });
  await clock.advance(1_000 * SECOND);
  await reload({ keys: [{ key: "K2", name: "main" }] });
  await clock.advance(20 * SECOND);
  expect((await status()).quota.limit).toBeLessThan(200_100);
  await clock.advance(2_000 * SECOND);
  expect((await status()).quota.drift).toBe(0);
  expect(opsAlerts()).toEqual([]);
});

it("a quota that is spent goes on within three minutes of its top-up, without a restart, and until then no poll is shown as near", async () => {
  const { clock, control, status } = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 5s" } }),
    api: { ...ONE_KEY, quota: { on_exhausted: "pause" } },
    prepare: (ask) => ask("keys", { key: KEY, quota: 50 }),
  });
  await clock.advance(10 * 60 * SECOND);
  const spent = (await control("requests")).billed;
  expect(spent).toBe(45);
  const { watches, quota } = await status();
  expect(watches[0]?.next_poll_at).toBe(quota.period_end);
  await control("keys", { key: KEY, quota: 5_000 });
  await clock.advance(3 * 60 * SECOND);
  expect((await control("requests")).billed).toBeGreaterThan(spent + 5);
  expect(Date.parse((await status()).watches[0]?.next_poll_at ?? "")).toBeLessThan(
    clock.now() + 60 * SECOND,
  );
});

it("a reload asks at once what the key has left, also where the file is the same", async () => {
  const { clock, control, reload, status } = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 5m" } }),
    api: ONE_KEY,
    prepare: (ask) => ask("keys", { key: KEY, quota: 500 }),
  });
  await clock.advance(60 * SECOND);
  expect((await status()).quota.limit).toBe(500);
  await control("keys", { key: KEY, quota: 9_000 });
  await reload();
  await clock.advance(5 * SECOND);
  expect((await status()).quota.limit).toBeGreaterThan(8_900);
});
