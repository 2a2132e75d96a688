/**
 * Tests the pages for people who use a screen reader or a keyboard. axe finds nothing on any page,
 * in both colour schemes, on a telephone and on a wide screen, with every form open. The
 * keyboard reaches everything and shows where it is.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { startServer } from "../../src/server/server.ts";
import { type BrowserPage, useBrowser } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { NOW_MS, silentLog } from "./daemon-stand-in.ts";
import { createTroubledDaemon, showUnseen } from "./troubled-daemon.ts";

const openPage = useBrowser();
const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

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
  return { page, daemon, url: server.url };
}

const PAGES = {
  overview: "/",
  "done something": "/?done=reloaded",
  alerts: "/events",
  "a search that is wrong": "/events?since=soon",
  "an alert": "/alerts/e1",
  "an item": "/alerts?item=5",
  watches: "/watches",
  "a watch": "/watches/brand-mentions",
  "a paused watch": "/watches/away",
  "a test": "/watches/brand-mentions/test",
  "a backfill": "/watches/brand-mentions/backfill",
  "a sink": "/sinks/brand",
  "a silence": "/silences",
  "a watch that is gone": "/watches/gone",
  "no page": "/nowhere",
} as const;

/**
 * Sets of axe's rules: all of them, or only those that depend on colours, which take a fraction of
 * the time.
 */
const RULES = { all: {}, colours: { runOnly: ["color-contrast", "link-in-text-block"] } } as const;

/** Returns the rules that a page breaks, each with the elements that break it. */
const findings = (page: BrowserPage, rules: keyof typeof RULES): Promise<readonly string[]> =>
  page.read(`(async () => {
    for (const one of document.querySelectorAll("details")) one.open = true;
    const { violations } = await axe.run(document, ${JSON.stringify(RULES[rules])});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary));
  })()`);

const SCREENS = [
  ["day", 1_280, "all"],
  ["night", 390, "all"],
  ["day", 390, "colours"],
  ["night", 1_280, "colours"],
] as const;

it.for(SCREENS)(
  "axe finds nothing on any page, by %s and %i pixels wide",
  async ([scheme, width, rules], context) => {
    const { page, daemon, url } = await open(context);
    await page.prefer(scheme);
    await page.resize(width, 844);
    for (const [name, path] of Object.entries(PAGES)) {
      if (name === "an item") showUnseen(daemon);
      await page.goto(`${url}${path}`);
      await page.read(`${axe}; undefined`);
      expect([name, await findings(page, rules)]).toEqual([name, []]);
      expect([name, await page.read("document.documentElement.scrollWidth")]).toEqual([
        name,
        width,
      ]);
    }
  },
);

const FOCUSABLE = `[...document.querySelectorAll("a[href], button, summary, input, select, textarea")].filter((one) => one.type !== "hidden" && one.checkVisibility())`;

it("the keyboard reaches everything in the order of the page, and the focus is visible", async (context) => {
  const { page, url } = await open(context);
  for (const path of ["/", "/events", "/alerts/e1", "/watches/brand-mentions", "/sinks/brand"]) {
    await page.goto(`${url}${path}`);
    const count = await page.read<number>(`${FOCUSABLE}.length`);
    const reached: number[] = [];
    for (let press = 0; press < count; press += 1) {
      await page.press("Tab");
      const [at, isShown] = await page.read<[number, boolean]>(
        `[${FOCUSABLE}.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle !== "none"]`,
      );
      expect([path, at, isShown]).toEqual([path, at, true]);
      reached.push(at);
    }
    expect([path, reached]).toEqual([path, Array.from({ length: count }, (_, at) => at)]);
  }
});

it("a form is opened, filled in and sent with the keyboard alone", async (context) => {
  const { page, daemon, url } = await open(context);
  await page.goto(`${url}/sinks/pager`);
  const focused = () => page.read<string>("document.activeElement.textContent");
  await until("the form", async () => {
    await page.press("Tab");
    return (await focused()) === "Send a test message…";
  });
  await page.press("Enter");
  await page.press("Tab");
  await page.type("Ada");
  await page.press("Tab");
  expect(await focused()).toBe("Send");
  await page.press("Enter");
  await until("the answer", async () =>
    (await page.read<string>("document.body.innerText").catch(() => "")).includes(
      "The sink took the test message.",
    ),
  );
  expect(daemon.asked).toContain("test sink pager by Ada");
});
