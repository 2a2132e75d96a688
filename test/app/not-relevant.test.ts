/** Tests how `status`, the page and a report show what people said about alerts. */
import { expect, it } from "vitest";
import { formatStatus } from "../../src/cli/inspect/status-text.ts";
import { reportLines } from "../../src/render/report-text.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("says how many alerts were marked as not relevant, by whom most of them are, and how many were acknowledged", async () => {
  const { clock, control, call, status, page } = await startInnerDaemon({
    watches: () => ({
      brand: { type: "timeline", accounts: ["one", "two"], schedule: "@every 1m" },
    }),
    prepare: async (asked) => {
      for (const username of ["one", "two"]) await asked("tweets", { username, text: "old" });
    },
  });
  const report = async () => reportLines(await call("report?watch=brand&since=1d"));
  await clock.advance(5 * MINUTE);
  for (const username of ["one", "one", "one", "two", "two"])
    await control("tweets", { username, text: "news" });
  await clock.advance(3 * MINUTE);
  const { events } = await call("events?alerts=true");
  const idsBy = (username: string): readonly string[] =>
    events
      .filter((event: any) => event.data.tweet.user.username === username)
      .map((event: any) => event.data.id);
  const [first = "", second = ""] = idsBy("one");
  const [third = "", last = ""] = idsBy("two");
  const words = "3 of 5 marked not relevant, 2 of them by @one";
  expect(formatStatus(await status(), clock.now())).not.toContain("not relevant");
  expect((await report()).join("\n")).not.toContain("not relevant");
  for (const id of [first, second, third, last])
    await call(`alerts/${id}/not-relevant?by=Ada`, "POST");
  await call(`alerts/${last}/not-relevant?by=Ada`, "DELETE");
  expect(formatStatus(await status(), clock.now())).toContain(words);
  expect(await page()).toContain(words);
  expect(await report()).toContain(words);
  await call(`alerts/${last}/acknowledgement?by=Ada`, "POST");
  expect(await report()).toContain(`1 of 5 acknowledged; ${words}`);
});
