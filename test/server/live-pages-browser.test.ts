/**
 * Tests the pages of alerts, watches and sinks in a browser: they update by themselves, never
 * overwrite a form that somebody fills in, and show the result of a form once.
 */
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { startServer } from "../../src/server/server.ts";
import { useBrowser } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  eventEntry,
  NOW_MS,
  silentLog,
  sinkView,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";
import { createTroubledDaemon } from "./troubled-daemon.ts";

const openPage = useBrowser();
type Daemon = ReturnType<typeof createTroubledDaemon>;

async function open(context: TestContext) {
  const page = await openPage(context);
  const daemon = createTroubledDaemon(NOW_MS);
  const clock = createVirtualClock(NOW_MS);
  const server = await startServer({
    ...{ host: "127.0.0.1", port: 0, clock, log: silentLog },
    ...daemon,
  });
  onTestFinished(async () => {
    const closing = server.close();
    // A browser keeps its connections: they are cut after a second.
    await clock.advance(2_000);
    await closing;
  });
  const words = () => page.read<string>("document.body.innerText").catch(() => "");
  return {
    ...{ page, daemon, url: server.url, words },
    shows: (text: string) => until(text, async () => (await words()).includes(text)),
    /** Waits until a second has passed, and the page has asked and handled the answer. */
    async refresh() {
      await clock.advance(1_000);
      await page.read(`document.dispatchEvent(new Event("visibilitychange"))`);
      await page.read("fetch(location.href).then((answer) => answer.text()).then(() => undefined)");
    },
  };
}

const sinkNow = ({ status }: Daemon) => ({ ...status, sinks: [sinkView({ waiting: 4_321 })] });
const LIVE = {
  "/events?watch=brand-mentions": {
    form: "details.act",
    change: (daemon: Daemon) =>
      void (daemon.events = { ...daemon.events, events: [eventEntry({ title: "Zoe posted" })] }),
    shown: "Zoe posted",
  },
  "/alerts/e1": {
    form: "details.act",
    change: (daemon: Daemon) =>
      void (daemon.events = { ...daemon.events, events: [eventEntry({ title: "Zoe posted" })] }),
    shown: "Zoe posted",
  },
  "/watches/brand-mentions": {
    form: "details.card",
    change: (daemon: Daemon) =>
      void (daemon.status = { ...daemon.status, watches: [watchView({ known_items: 9_876 })] }),
    shown: "9,876",
  },
  "/sinks/brand": {
    form: "details.card",
    change: (daemon: Daemon) => void (daemon.status = sinkNow(daemon)),
    shown: "4,321",
  },
  "/": {
    form: ".attention details",
    change: (daemon: Daemon) => void (daemon.status = statusView({ sinks: sinkNow(daemon).sinks })),
    shown: "4,321",
  },
} as const;

it.for(Object.entries(LIVE))(
  "%s updates itself, but not while a form is open, and keeps what is written in it",
  async ([path, { form, change, shown }], context) => {
    const { page, daemon, url, words, shows, refresh } = await open(context);
    await page.goto(`${url}${path}`);
    expect(await words()).not.toContain(shown);
    await page.read(`document.querySelector("${form} summary").click()`);
    await page.read(`document.querySelector("${form} input[name=by]").focus()`);
    await page.type("Ada");
    change(daemon);
    await refresh();
    await refresh();
    expect(await words()).not.toContain(shown);
    expect(await page.read(`document.querySelector("${form} input[name=by]").value`)).toBe("Ada");
    await page.read(`document.querySelector("${form} summary").click()`);
    await page.read("document.activeElement.blur()");
    await refresh();
    await shows(shown);
  },
);

it("keeps what is written into a search while the alerts below it update", async (context) => {
  const { page, daemon, url, shows, refresh } = await open(context);
  await page.goto(`${url}/events?watch=brand-mentions`);
  const field = `document.querySelector("input[name=text]")`;
  await page.read(`${field}.focus()`);
  await page.type("invoices");
  LIVE["/events?watch=brand-mentions"].change(daemon);
  await refresh();
  await shows("Zoe posted");
  expect(await page.read(`${field}.value`)).toBe("invoices");
  expect(await page.read(`document.activeElement === ${field}`)).toBe(true);
  expect(daemon.asked.at(-1)).toContain('"watches":["brand-mentions"]');
});

it("says what a form did once: not again when the reader loads the page anew", async (context) => {
  const { page, url, words, shows } = await open(context);
  await page.goto(`${url}/alerts/e1`);
  await page.read(`document.querySelector("details.act button").click()`);
  await shows("The acknowledgement is undone.");
  expect(await page.read("location.pathname + location.search")).toBe("/alerts/e1");
  await page.goto(`${url}/alerts/e1`);
  expect(await words()).not.toContain("The acknowledgement is undone.");
});

it("returns the focus to the button that had it", async (context) => {
  const { page, url, refresh } = await open(context);
  await page.goto(`${url}/`);
  await page.read(`document.querySelector('[aria-label="End snooze 2…"]').focus()`);
  await refresh();
  await until("the update", async () =>
    (await page.read<string>("document.getElementById('as-of').textContent")).includes("14:00:01"),
  );
  expect(await page.read("document.activeElement.getAttribute('aria-label')")).toBe(
    "End snooze 2…",
  );
});

it("works without its script: every live part is there, and no other script may run", async (context) => {
  const { page, url } = await open(context);
  for (const path of Object.keys(LIVE)) {
    await page.goto(`${url}${path}`);
    const scripts = await page.read<number>("document.scripts.length");
    expect([path, scripts]).toEqual([path, 1]);
    const ran = await page.read(`(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      return window.ran === true;
    })()`);
    expect([path, ran]).toEqual([path, false]);
    const html = await (await fetch(`${url}${path}`)).text();
    expect(html).toContain('<div id="live" data-live tabindex="-1">');
  }
});
