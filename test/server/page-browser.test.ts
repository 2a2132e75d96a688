/**
 * Tests the pages in a browser: on a telephone, with the keyboard, and while the daemon goes away
 * and comes back.
 */
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { type RunningServer, startServer } from "../../src/server/server.ts";
import { type BrowserPage, useBrowser } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  eventEntry,
  NOW_MS,
  silentLog,
  sinkView,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

const SECOND = 1_000;
const openPage = useBrowser();

/** Opens a server that can go away and come back at its address, and a browser that shows it. */
async function open(context: TestContext) {
  const page = await openPage(context);
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  let server: RunningServer | undefined;
  const listen = async (port: number) => {
    server = await startServer({ host: "127.0.0.1", port, clock, log: silentLog, ...daemon });
    return server.url;
  };
  const url = await listen(0);
  const leave = async () => {
    const closing = server?.close();
    // A browser keeps its connections: they are cut after a second.
    await clock.advance(2 * SECOND);
    await closing;
  };
  onTestFinished(leave);
  return { page, daemon, clock, url, leave, comeBack: () => listen(Number(new URL(url).port)) };
}

/** Makes the page refresh, as it does every ten seconds and when it is shown again. */
const refresh = (page: BrowserPage) =>
  page.read(`document.dispatchEvent(new Event("visibilitychange"))`);
const wordsOf = (page: BrowserPage) => page.read<string>("document.body.innerText");

const LONG = "a-name-that-somebody-wrote-without-a-single-space-and-with-no-end-in-sight";

it.for([320, 390, 600])(
  "scrolls down only, at %i pixels, whatever the names are",
  async (width, context) => {
    const { page, daemon, url } = await open(context);
    daemon.status = statusView({
      state: "degraded",
      version: `0.1.0-${LONG}`,
      reasons: [`https://example.com/${LONG}${LONG}`],
      watches: [
        watchView(),
        watchView({
          id: LONG,
          schedule: `0 9 * * 1-5 (${LONG})`,
          sink: LONG,
          problem: LONG,
          known_items: 123_456_789,
        }),
      ],
      sinks: [
        sinkView(),
        sinkView({
          name: LONG,
          place: LONG,
          breaker: "open",
          reason: LONG,
          waiting: 123_456,
          dead: 123_456,
        }),
      ],
      config: {
        file: `/etc/${LONG}/${LONG}.yaml`,
        loaded_at: "2026-03-09T08:00:00.000Z",
        warnings: [LONG],
        last_reload: null,
        failed_reload: null,
      },
    });
    daemon.events = {
      events: [eventEntry({ title: LONG, text: `${LONG}${LONG}` })],
      next: null,
      searched_to: null,
    };
    await page.resize(width, 844);
    for (const path of ["/", "/events"]) {
      await page.goto(`${url}${path}`);
      expect([path, await page.read("document.documentElement.scrollWidth")]).toEqual([
        path,
        width,
      ]);
    }
  },
);

it("goes on updating while a link has the focus, keeps the focus there, and says as of when it is", async (context) => {
  const { page, daemon, clock, url } = await open(context);
  await page.goto(url);
  const focused = () => page.read<string>("document.activeElement.textContent");
  await until("the event's link", async () => {
    await page.press("Tab");
    return (await focused()) === "Alice (@alice) posted";
  });
  expect(await wordsOf(page)).toContain("as of 14:00:00 UTC");
  const [event] = daemon.status.recent_events;
  if (event === undefined) throw new Error("the stand-in has no event");
  daemon.status = statusView({
    recent_events: [{ ...event, id: "e2", title: "Bob (@bob) posted" }, event],
  });
  await clock.advance(31 * SECOND);
  await refresh(page);
  await until("the update", async () => (await wordsOf(page)).includes("as of 14:00:31 UTC"));
  expect(await wordsOf(page)).toContain("Bob (@bob) posted");
  expect(await focused()).toBe("Alice (@alice) posted");
});

it("keeps the place of a reader whose link is gone", async (context) => {
  const { page, daemon, clock, url } = await open(context);
  await page.goto(url);
  await page.read(`document.querySelector("ol.events a").focus()`);
  daemon.status = statusView({ recent_events: [] });
  await clock.advance(SECOND);
  await refresh(page);
  await until("the update", async () => (await wordsOf(page)).includes("as of 14:00:01 UTC"));
  expect(await page.read("document.activeElement.id")).toBe("live");
});

it("leaves a selection and a held page alone", async (context) => {
  const { page, daemon, clock, url } = await open(context);
  await page.goto(url);
  const update = async () => {
    await clock.advance(SECOND);
    daemon.asked.length = 0;
    await refresh(page);
    await page.read(
      "fetch(location.pathname).then((answer) => answer.text()).then(() => undefined)",
    );
  };
  await page.read(`getSelection().selectAllChildren(document.querySelector("h1"))`);
  await update();
  await page.read("getSelection().removeAllRanges()");
  expect(await wordsOf(page)).toContain("as of 14:00:00 UTC");
  await page.read(`document.getElementById("hold").click()`);
  await update();
  expect(await wordsOf(page)).toContain("as of 14:00:00 UTC");
  await page.read(`document.getElementById("hold").click()`);
  await update();
  await until("the update", async () => (await wordsOf(page)).includes("as of 14:00:03 UTC"));
});

it.for(["watched", "held"])(
  "says where the reader is that the daemon is lost, and when it is back, on a page that is %s",
  async (how, context) => {
    const { page, daemon, url, leave, comeBack } = await open(context);
    daemon.status = statusView({
      watches: Array.from({ length: 60 }, (_, n) => watchView({ id: `w${n}` })),
    });
    await page.resize(390, 844);
    await page.goto(url);
    if (how === "held") await page.read(`document.getElementById("hold").click()`);
    await page.read("scrollTo(0, document.body.scrollHeight)");
    await leave();
    await refresh(page);
    const banner = `document.getElementById("lost")`;
    await until("the banner", () => page.read<boolean>(`!${banner}.hidden`));
    expect(await page.read(`${banner}.textContent`)).toBe(
      "The daemon does not answer. What you see is as of 14:00:00 UTC.",
    );
    const { top, bottom, height } = await page.read<Record<string, number>>(
      `({ ...${banner}.getBoundingClientRect().toJSON(), height: innerHeight })`,
    );
    expect([top! >= 0, bottom! <= height!, await page.read("scrollY > 1000")]).toEqual([
      true,
      true,
      true,
    ]);
    await comeBack();
    await refresh(page);
    await until("the banner's end", () => page.read<boolean>(`${banner}.hidden`));
  },
);
