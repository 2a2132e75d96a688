/**
 * Tests the forms of silences in a browser: a silence is added and ended by hand, typed text stays
 * while the page updates, and a refusal keeps it.
 */
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { startServer } from "../../src/server/server.ts";
import { useBrowser } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
} from "./daemon-stand-in.ts";

const SECOND = 1_000;
const openPage = useBrowser();
const FORM = `document.querySelector('form[action="silences"]')`;

async function open(context: TestContext) {
  const page = await openPage(context);
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    clock,
    log: silentLog,
    ...daemon,
  });
  onTestFinished(async () => {
    const closing = server.close();
    // A browser keeps its connections: they are cut after a second.
    await clock.advance(2 * SECOND);
    await closing;
  });
  await page.goto(server.url);
  const words = () => page.read<string>("document.body.innerText");
  const fieldOf = (name: string) => `${FORM}.elements.namedItem("${name}")`;
  return {
    page,
    daemon,
    clock,
    words,
    /** The next page may not be there yet. */
    shows: (text: string) =>
      until(text, async () => (await words().catch(() => "")).includes(text)),
    unfold: () => page.read(`document.querySelector("details summary").click()`),
    async write(name: string, text: string) {
      await page.read(`(${fieldOf(name)}.focus(), ${fieldOf(name)}.select())`);
      await page.type(text);
    },
    valueOf: (name: string) => page.read<string>(`${fieldOf(name)}.value`),
    submit: () => page.read(`${FORM}.querySelector("button").click()`),
    requests: () =>
      daemon.asked
        .filter((one) => one.startsWith("silence {"))
        .map((one) => JSON.parse(one.slice("silence ".length))),
  };
}

it("adds a silence, keeps what is being written while the page updates, and shows the silence then", async (context) => {
  const { page, daemon, clock, words, shows, unfold, write, valueOf, submit, requests } =
    await open(context);
  expect(await page.read(`${FORM}.checkVisibility()`)).toBe(false);
  await unfold();
  await write("matchers", 'watch="brand"\nteam="comms"');
  await write("comment", "launch day");
  await clock.advance(SECOND);
  await page.read(`document.dispatchEvent(new Event("visibilitychange"))`);
  await shows("as of 14:00:01 UTC");
  expect([await valueOf("matchers"), await valueOf("comment"), await valueOf("duration")]).toEqual([
    'watch="brand"\nteam="comms"',
    "launch day",
    "1h",
  ]);
  await write("duration", "2h");
  await write("author", "alice");
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
  daemon.status = statusView({ silences: [silenceView({ comment: "launch day" })] });
  await submit();
  await shows("launch day");
  expect(requests()).toEqual([
    {
      matchers: ['watch="brand"', 'team="comms"'],
      duration: "2h",
      comment: "launch day",
      author: "alice",
    },
  ]);
  expect(await page.read("location.pathname")).toBe("/");
  expect(await words()).toContain(silenceView().matchers.join(", "));
});

it("sends nothing while a field that must be filled in is empty", async (context) => {
  const { page, unfold, write, submit, requests } = await open(context);
  await unfold();
  await write("comment", "launch day");
  await submit();
  await page.read("fetch(location.pathname).then((answer) => answer.text()).then(() => undefined)");
  expect([requests(), await page.read("location.pathname")]).toEqual([[], "/"]);
  expect(await page.read("document.activeElement.name")).toBe("matchers");
});

it("says what cannot be used on a page that has what was written, and takes it once that is mended", async (context) => {
  const { page, daemon, shows, unfold, write, valueOf, submit, requests } = await open(context);
  await page.resize(320, 844);
  await unfold();
  await write("matchers", "taem=comms");
  await write("comment", "launch day");
  const problem = 'no event has a label "taem"; did you mean `team`?';
  daemon.added = { ok: false, errors: [problem] };
  await submit();
  await shows(problem);
  expect(await page.read(`document.querySelector('[role="alert"]').textContent`)).toBe(problem);
  expect([await valueOf("matchers"), await valueOf("comment")]).toEqual([
    "taem=comms",
    "launch day",
  ]);
  expect(await page.read("document.documentElement.scrollWidth")).toBe(320);
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 0 } };
  daemon.status = statusView({ silences: [silenceView()] });
  await write("matchers", "team=comms");
  await submit();
  await shows("as of 14:00:00 UTC");
  expect(requests().map(({ matchers }) => matchers)).toEqual([["taem=comms"], ["team=comms"]]);
});

it("ends the silence whose button is pressed", async (context) => {
  const { page, daemon, clock, words, shows } = await open(context);
  daemon.status = statusView({
    silences: [silenceView(), silenceView({ id: "2", comment: "the other one" })],
  });
  await clock.advance(SECOND);
  await page.read(`document.dispatchEvent(new Event("visibilitychange"))`);
  await shows("the other one");
  daemon.asked.length = 0;
  await page.read(`document.querySelector('[aria-label="End silence 2"]').click()`);
  await until("the request", () => daemon.asked.includes("expire 2 by page") || undefined);
  daemon.status = statusView({ silences: [silenceView()] });
  await clock.advance(SECOND);
  await until("the page without it", async () => {
    await page.read(`document.dispatchEvent(new Event("visibilitychange"))`).catch(() => undefined);
    return !(await words().catch(() => "the other one")).includes("the other one");
  });
  expect(daemon.asked.filter((one) => one.startsWith("expire"))).toEqual(["expire 2 by page"]);
  expect(await page.read("location.pathname")).toBe("/");
});
