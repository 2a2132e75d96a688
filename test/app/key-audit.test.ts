/** Tests the ledger against the service's own count, in the whole daemon. */
import { expect, it } from "vitest";
import { KEY, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("at a start, what someone else spent of a key meanwhile is reported once", async () => {
  const daemon = await startInnerDaemon({
    api: { keys: [{ key: KEY, name: "first" }] },
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 1m" } }),
  });
  const { clock, status, opsAlerts } = daemon;
  await clock.advance(2 * MINUTE);
  expect((await status()).quota.drift).toBe(0);
  await daemon.stop();
  // The service accepts twenty requests of a key within a second.
  for (let i = 0; i < 40; i += 1) {
    if (i % 20 === 0) await clock.advance(1_000);
    await daemon.ask(`info?username=nobody_${i}`);
  }
  await clock.advance(MINUTE);
  await daemon.start();
  await clock.advance(2 * MINUTE);
  expect(opsAlerts()).toEqual([
    {
      type: "quota.drift",
      message: expect.stringContaining("counted 40 requests more of the key first"),
    },
  ]);
  const { quota, reasons } = await status();
  expect(quota.drift).toBe(40);
  expect(reasons.join()).toContain("something else uses up the quota");
  await daemon.stop();
  await daemon.start();
  await clock.advance(20 * MINUTE);
  expect(opsAlerts()).toHaveLength(1);
});
