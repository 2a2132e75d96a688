/**
 * Tests that a first-time reader of the pages needs at most three clicks on links and buttons from
 * the overview to each answer. Follows the HTML as it is served.
 */
import { expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { NOW_MS, silentLog, watchView } from "./daemon-stand-in.ts";
import { createTroubledDaemon } from "./troubled-daemon.ts";

const MAX_CLICKS = 3;
const SITE = "http://page";

function setUp() {
  const daemon = createTroubledDaemon(NOW_MS);
  const clock = createVirtualClock(NOW_MS);
  const routes = createRoutes({ ...daemon, clock, log: silentLog }, { kind: "socket" });
  const read = async (path: string) => (await routes.request(path)).text();
  return { daemon, routes, read };
}

const wordsOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const linksOf = (html: string, path: string) =>
  [...html.matchAll(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/gs)].flatMap(([, to = "", label = ""]) => {
    const url = new URL(to.replaceAll("&amp;", "&"), `${SITE}${path}`);
    return url.origin === SITE
      ? [{ path: `${url.pathname}${url.search}`, label: wordsOf(label) }]
      : [];
  });

/** Returns the fewest clicks on links to a page that shows this, and the labels of the links. */
async function clicksTo(read: (path: string) => Promise<string>, shown: RegExp) {
  let level = [{ path: "/", clicks: [] as string[] }];
  const seen = new Set(["/"]);
  for (let depth = 0; depth <= MAX_CLICKS; depth += 1) {
    const next: typeof level = [];
    for (const { path, clicks } of level) {
      const html = await read(path);
      if (shown.test(wordsOf(html.slice(html.indexOf("<body>"))))) return clicks;
      for (const link of linksOf(html, path)) {
        if (seen.has(link.path) || /^\/(api|metrics)/.test(link.path)) continue;
        seen.add(link.path);
        next.push({ path: link.path, clicks: [...clicks, link.label.trim()] });
      }
    }
    level = next;
  }
  return undefined;
}

it.for([
  ["what is wrong now", /Needs attention .*takes no messages: 404 Unknown Webhook/, []],
  ["when a silence ends", /Silences 2 .*Ends .*silence 1 in 1 h/, []],
  ["what a watch cost this week", /Requests of the last 7 days 2,016/, ["Open brand-mentions"]],
  [
    "why a post alerted",
    /posted .*seen at acme: news: it became an alert .*brand : sent/,
    ["Alice (@alice) posted"],
  ],
] as const)("%s", async ([, shown, clicks]) => {
  const { read } = setUp();
  expect(await clicksTo(read, shown)).toEqual(clicks);
});

it("why a post did not alert: the field that asks for it is one click away, its answer a second", async () => {
  const { daemon, read } = setUp();
  const asks = await clicksTo(read, /Why did this post alert, or not\?/);
  expect(asks).toEqual(["Alerts"]);
  const html = await read("/events");
  const form = /<form [^>]*method="get" action="([^"]+)">(?:(?!<\/form>).)*name="item"/s.exec(html);
  expect(form?.[1]).toBe("alerts");
  const { event: _, ...verdict } = daemon.found.histories[0]!;
  const filtered = { ...verdict, verdict: "filtered", detail: "the text contains spam" } as const;
  daemon.found = { ...daemon.found, histories: [{ ...filtered, deliveries: [] }] };
  daemon.events = { events: [], next: null, searched_to: null };
  expect(wordsOf(await read(`/${form?.[1]}?item=1899000000000000001`))).toContain(
    "no alert: filtered (the text contains spam)",
  );
});

it("a silence is ended with the button beside it", async () => {
  const { daemon, routes, read } = setUp();
  expect(await read("/")).toContain('action="silences/1/expire"');
  await routes.request("/silences/1/expire", { method: "POST" });
  expect(daemon.asked).toContain("expire 1 by page");
});

it("the last of a thousand watches is reached, too", async () => {
  const { daemon, read } = setUp();
  const watches = Array.from({ length: 1_000 }, (_, at) => watchView({ id: `w${at}` }));
  daemon.status = { ...daemon.status, watches };
  const overview = linksOf(await read("/"), "/");
  expect(overview).toContainEqual({ path: "/watches", label: "all by name" });
  expect(linksOf(await read("/watches"), "/watches")).toContainEqual({
    ...{ path: "/watches/w999", label: "w999" },
  });
  expect(linksOf(await read("/watches?name=W99"), "/watches").map(({ label }) => label)).toEqual(
    expect.arrayContaining(["w99", "w990", "w999"]),
  );
  expect(wordsOf(await read("/watches?name=nope"))).toContain("No watch has such a name.");
});
