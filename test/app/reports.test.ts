/**
 * Tests scheduled reports in the whole daemon: after downtime, without their sink, under reloads
 * that remove them, and with several replicas.
 */
import { expect, it } from "vitest";
import type { HookReceiver } from "../support/hook-receiver.ts";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";
import { makeInnerReplicas } from "../support/inner-replicas.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const WATCHES = { w: { type: "search", query: "zebra", schedule: "@every 10m" } };
const HOURLY = { schedule: "@every 1h", sink: "hook", watches: ["w"] };

/** Returns the periods of the reports that a receiver took, without the date: "14:00 to 15:00". */
const periodsAt = (hook: HookReceiver, from = 0) =>
  hook
    .events()
    .slice(from)
    .filter(({ type }) => type === "report.created")
    .map(({ data: { report } }) => `${report.from.slice(11, 16)} to ${report.to.slice(11, 16)}`);

/** Starts a daemon at 13:38. */
async function setUp(options: Partial<InnerDaemonOptions> = {}) {
  const more: { reports: { [name: string]: object } } = { reports: { hourly: HOURLY } };
  const daemon = await startInnerDaemon({ watches: () => WATCHES, more, ...options });
  return { ...daemon, more };
}

it("a report to a sink that is disabled is kept, said, and sent once the sink is resumed", async () => {
  const { clock, hook, call, status, opsAlerts } = await setUp();
  hook.answer((_, response) => response.writeHead(410).end());
  await clock.advance(2 * HOUR);
  const refused = hook.events().length;
  expect(periodsAt(hook)).toEqual(["13:38 to 14:00"]);
  expect(opsAlerts()).toMatchObject([
    { type: "sink.failing", message: "hook takes no messages: the webhook answered 410" },
  ]);
  const { state, sinks, reasons } = await status();
  expect(state).toBe("degraded");
  expect(sinks[0]).toMatchObject({ name: "hook", breaker: "open", waiting: 2 });
  expect(reasons.join()).toContain("hook takes no messages: the webhook answered 410");
  hook.answer((_, response) => response.writeHead(204).end());
  await call("sinks/hook/resume", "POST");
  await clock.advance(5 * MINUTE);
  expect(periodsAt(hook, refused)).toEqual(["13:38 to 14:00", "14:00 to 15:00"]);
  await clock.advance(30 * MINUTE);
  expect(periodsAt(hook, refused).slice(2)).toEqual(["15:00 to 16:00"]);
});

it("a report to a sink that stays disabled is given up with the reason, and ops is alerted", async () => {
  const { clock, hook, call, opsAlerts } = await setUp({ sink: { retry_for: "30m" } });
  hook.answer((_, response) => response.writeHead(410).end());
  await clock.advance(HOUR + 10 * MINUTE);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["sink.failing", "delivery.dead"]);
  const { dead } = await call("dead");
  expect(dead).toMatchObject([
    { sink: "hook", cause: "expired", error: "the webhook answered 410" },
  ]);
});

it("reports that were missed while the daemon was down are one, at the start, about all of that time", async () => {
  const { clock, hook, stop, start } = await setUp();
  await clock.advance(30 * MINUTE);
  await stop();
  await clock.advance(2 * HOUR + 10 * MINUTE);
  await start();
  await clock.advance(MINUTE);
  expect(periodsAt(hook)).toEqual(["13:38 to 14:00", "14:00 to 16:00"]);
  await clock.advance(HOUR);
  expect(periodsAt(hook)).toEqual(["13:38 to 14:00", "14:00 to 16:00", "16:00 to 17:00"]);
});

it("a report that was removed while it was under way is not sent when its name comes back", async () => {
  let isCut = false;
  const { clock, hook, more, reload } = await setUp({
    storeFilter: (store) => ({
      ...store,
      commitPoll: async (update) => {
        const isReport = update.events.some(({ type }) => type === "report.created");
        if (isCut && isReport) throw new Error("it is not committed");
        return store.commitPoll(update);
      },
    }),
  });
  isCut = true;
  await clock.advance(30 * MINUTE);
  expect(periodsAt(hook)).toEqual([]);
  more.reports = {};
  await reload();
  isCut = false;
  await clock.advance(3 * HOUR);
  more.reports = { hourly: HOURLY };
  await reload();
  await clock.advance(HOUR);
  expect(periodsAt(hook)).toEqual(["17:09 to 18:00"]);
});

it("a report starts as a new one under another name, and after it was removed and the daemon restarted", async () => {
  const { clock, hook, more, reload, stop, start } = await setUp();
  // A report starts with the next check, at most 15 seconds later, so this time stays clear of a
  // full minute.
  await clock.advance(30 * MINUTE - 20_000);
  more.reports = { renamed: HOURLY };
  await reload();
  await clock.advance(HOUR);
  expect(periodsAt(hook)).toEqual(["13:38 to 14:00", "14:08 to 15:00"]);
  await stop();
  more.reports = {};
  await start();
  await clock.advance(2 * HOUR);
  more.reports = { hourly: HOURLY, renamed: { ...HOURLY, title: "Again" } };
  await reload();
  await clock.advance(HOUR);
  expect(periodsAt(hook).slice(2)).toEqual(["17:08 to 18:00", "17:08 to 18:00"]);
});

it("two replicas send a report once", async () => {
  const { clock, hook, add } = await makeInnerReplicas(WATCHES, {
    more: { reports: { hourly: HOURLY } },
  });
  await add();
  await add();
  await clock.advance(2 * HOUR);
  expect(periodsAt(hook)).toEqual(["13:38 to 14:00", "14:00 to 15:00"]);
});
