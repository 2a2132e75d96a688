/** Tests what people do about an alert on the page: plain forms, as a browser sends them. */
import { expect, it, onTestFinished } from "vitest";
import { renderEventsPage } from "../../src/server/page/page-events.ts";
import { startServer } from "../../src/server/server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createDaemonStandIn, eventEntry, NOW_MS, silentLog } from "./daemon-stand-in.ts";

async function start() {
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const server = await startServer({
    ...{ host: "127.0.0.1", port: 0, clock, log: silentLog },
    ...daemon,
  });
  onTestFinished(async () => {
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });
  const submit = (path: string, fields: Record<string, string>, referer = "/events") =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: server.url, referer: `${server.url}${referer}` },
      body: new URLSearchParams(fields),
    });
  return { daemon, submit };
}

it("acknowledges an alert by name and undoes it, and leads back to the same list", async () => {
  const { daemon, submit } = await start();
  const answer = await submit("/alerts/e1/acknowledge", { by: "Ada" }, "/events?watch=brand");
  expect([answer.status, answer.headers.get("location")]).toEqual([
    ...[303, "../../events?watch=brand&done=acknowledged"],
  ]);
  expect((await submit("/alerts/e1/unacknowledge", { by: "" }, "/")).headers.get("location")).toBe(
    "../e1?done=unacknowledged",
  );
  expect(daemon.asked).toEqual([
    "acknowledge e1 by Ada from page",
    "unacknowledge e1 by page from page",
  ]);
});

it("says of an alert that is gone that it is", async () => {
  const { submit } = await start();
  const answer = await submit("/alerts/%3Cb%3E/acknowledge", { by: "Ada" });
  expect(answer.status).toBe(404);
  const text = await answer.text();
  expect(text).toContain("the state no longer keeps it");
  expect(text).not.toContain("<b>");
});

it("offers what is not done yet, for alerts of watches and not for the daemon's own", () => {
  const page = (changes: Parameters<typeof eventEntry>[0]) =>
    renderEventsPage({ events: [eventEntry(changes)], next: null, searched_to: null }, {}, NOW_MS);
  const data = { id: "e1", watch: "brand" };
  expect(page({ data })).toContain('action="alerts/e1/acknowledge"');
  const acknowledged = { by: "Ada", at: "2026-03-10T13:58:00.000Z", from: "page" };
  expect(page({ data, acknowledged })).toContain('action="alerts/e1/unacknowledge"');
  expect(page({ data, acknowledged })).toContain(
    "acknowledged by Ada, 2026-03-10 13:58 UTC (page)",
  );
  expect(page({ data: { id: "e2", watch: "" } })).not.toContain("acknowledge");
});
