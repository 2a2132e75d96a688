/** Tests fault 40 as the sandbox plays it: ten thousand new items at once. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("catches ten thousand new items up whole, a few pages at a time", {
  timeout: 300_000,
}, async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      bounded: { type: "timeline", accounts: ["flooder"], max_pages: 20, schedule: "@every 1m" },
    }),
    prepare: (control) => control("tweets", { username: "flooder", text: "before" }),
  });
  const { clock, hook, control } = daemon;
  await clock.advance(2 * MINUTE);
  await control("faults", { number: 40, username: "flooder", text: "flood" });
  for (let minute = 0; minute < 60 && hook.messages().length < 10_000; minute += 5)
    await clock.advance(5 * MINUTE);
  const alerted = hook.subjects();
  expect([alerted.length, new Set(alerted).size]).toEqual([10_000, 10_000]);
  expect(daemon.opsAlerts()).toEqual([]);
});
