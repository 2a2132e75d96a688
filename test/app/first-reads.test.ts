/** Tests how soon after its start a daemon has read everything that it watches, by the clock. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

it("reads 100 accounts within 10 s of the start, and never asks more than 20 times in any one second", async () => {
  const accounts = Array.from({ length: 100 }, (_, i) => `account_${i}`);
  const { clock, control } = await startInnerDaemon({
    watches: () => ({ w: { type: "timeline", accounts } }),
    prepare: async (control) => {
      for (const username of accounts) await control("accounts", { username });
    },
  });
  await clock.advance(10_000);
  const asked = await control("requests");
  expect(asked.billed_by_endpoint).toEqual({ "info-batch": 1, "user-tweets": 100 });
  expect(asked.max_in_one_second).toBeLessThanOrEqual(20);
});
