/**
 * Tests escalations while sinks are renamed, in the whole daemon: each step is sent once, and none
 * is lost.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("sends each step once while the sinks of the alert and of the step get other names", async () => {
  let names = { alerts: "brand", pager: "pager" };
  const moved = (name: string, first: string) => (name === first ? {} : { moved_from: first });
  const { clock, control, call, reload, stop, start } = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      get sinks() {
        const escalate = [
          { after: "15m", sink: names.pager },
          { after: "30m", sink: names.pager },
        ];
        return {
          [names.alerts]: { type: "console", escalate, ...moved(names.alerts, "brand") },
          [names.pager]: { type: "console", ...moved(names.pager, "pager") },
        };
      },
      get route() {
        return { sink: names.alerts };
      },
      get ops() {
        return { sink: names.alerts };
      },
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  const escalated = async () =>
    (await call("events")).events.filter(({ type }: { type: string }) => type === "alert.escalated")
      .length;
  await clock.advance(5 * MINUTE);
  await control("tweets", { username: "one", text: "news" });
  await clock.advance(17 * MINUTE);
  expect(await escalated()).toBe(1);
  names = { alerts: "mentions", pager: "phone" };
  await reload();
  await clock.advance(20 * MINUTE);
  expect(await escalated()).toBe(1);
  await stop();
  await start();
  await clock.advance(12 * MINUTE);
  expect(await escalated()).toBe(2);
  await clock.advance(60 * MINUTE);
  expect(await escalated()).toBe(2);
});
