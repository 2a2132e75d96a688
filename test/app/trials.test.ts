/**
 * Tests the requests that pages of a running daemon pay for: a test of a watch, and a read of its
 * past.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

async function start() {
  const daemon = await startInnerDaemon({
    watches: () => ({
      brand: {
        ...{ type: "timeline", accounts: ["one"], schedule: "@every 1h" },
        where: 'tweet.full_text != "old spam"',
      },
    }),
    prepare: async (asked) => {
      await asked("tweets", { username: "one", text: "old" });
      await asked("tweets", { username: "one", text: "old spam" });
    },
  });
  await daemon.clock.advance(5 * MINUTE);
  const spent = async () => Number((await daemon.call("budget")).quota.spent);
  return { ...daemon, spent };
}

it("tests a watch for what it said it costs, once if the form is sent twice at once", async () => {
  const { submit, spent } = await start();
  const before = await spent();
  const [one, two] = await Promise.all([
    submit("watches/brand/test"),
    submit("watches/brand/test"),
  ]);
  expect(one).toContain("1 of 2 items would raise an alert");
  expect(one).toContain("because where is false");
  expect(two).toBe(one);
  expect((await spent()) - before).toBe(1);
});

it("reads the past once if the form is sent twice at once, and sends it as alerts", async () => {
  const { submit, spent, clock, hook } = await start();
  const before = await spent();
  const fields = { since: "1h", max_requests: "5", by: "Ada" };
  const [one, two] = await Promise.all([
    submit("watches/brand/backfill", fields),
    submit("watches/brand/backfill", fields),
  ]);
  expect(one).toContain("1 alert for 1 request, sent within a minute.");
  expect(two).toBe(one);
  expect((await spent()) - before).toBe(1);
  await clock.advance(2 * MINUTE);
  expect(hook.messages()).toHaveLength(1);
});
