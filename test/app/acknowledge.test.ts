/**
 * Tests acknowledgements in the whole daemon: what one changes, where it is shown, and what is sent
 * about it.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

it("is shown with the alert in every view, also after a restart, and its event goes only to a route that names it", async () => {
  const { clock, call, control, hook, opsAlerts, page, stop, start } = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      route: {
        sink: "hook",
        routes: [{ matchers: ['event="alert.acknowledged"', 'watch="brand"'], sink: "hook" }],
      },
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  await clock.advance(5 * MINUTE);
  const { ids } = await control("tweets", { username: "one", text: "news" });
  await clock.advance(2 * MINUTE);
  const explain = async () => (await call(`explain/${ids[0]}`)).verdicts[0];
  const { event, deliveries, acknowledged } = await explain();
  expect(acknowledged).toBeNull();
  const path = (what: string, by: string) => `alerts/${what}/acknowledgement?by=${by}`;
  expect(await call(path(deliveries[0].message_id, "Ada"), "POST")).toMatchObject({
    ...{ alerts: 1, changed: 1, acknowledged: { by: "Ada", from: "API" }, effect: "now" },
  });
  expect(await call(path(event.id, "Bob"), "POST")).toMatchObject({
    ...{ alerts: 1, changed: 0, acknowledged: { by: "Ada" } },
  });
  await clock.advance(MINUTE);
  await stop();
  await start();
  await clock.advance(MINUTE);
  expect((await explain()).acknowledged).toMatchObject({ by: "Ada", from: "API" });
  expect((await call("events?acknowledged=yes")).events).toMatchObject([
    { data: { id: event.id }, acknowledged: { by: "Ada" } },
  ]);
  expect((await call("events?acknowledged=no&watch=brand&alerts=true")).events).toEqual([]);
  expect(await page()).toContain("acknowledged by Ada");
  const news = () => hook.events().filter(({ type }) => type === "alert.acknowledged");
  expect(news()).toMatchObject([
    { watch: "brand", data: { by: "Ada", alert: { id: event.id, subject: ids[0] } } },
  ]);
  expect(opsAlerts()).toEqual([]);
  expect(await call(path(event.id, "Bob"), "DELETE")).toMatchObject({
    ...{ changed: 1, acknowledged: null },
  });
  await call(path(event.id, "Bob"), "POST");
  await clock.advance(MINUTE);
  expect(news()).toHaveLength(2);
  expect(await call(path("gone", "Ada"), "POST")).toMatchObject({
    error: { code: "ALERT_UNKNOWN" },
  });
});
