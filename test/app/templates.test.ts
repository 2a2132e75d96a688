/**
 * Tests templates in the whole daemon: which one words an alert, over reloads and restarts, and
 * what happens to alerts whose template fails.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const TEMPLATES = {
  short: {
    events: ["tweet.*"],
    title: "{{ tweet.user.username }} wrote",
    body: "{{ tweet.full_text | graphemes: 5 }}",
  },
  route: { events: ["tweet.*"], title: "by route" },
  broken: { events: ["tweet.*"], title: "{{ tweet.full_text | graphemes: 0 }}" },
};

/**
 * Starts two watches: `now` alerts at once with the sink's template, `later` gathers for ten
 * minutes and has its route's template.
 */
async function setUp(sinkTemplate: string, more: { readonly route?: object } = {}) {
  const posts = (team: string) => ({
    type: "timeline",
    accounts: ["one"],
    schedule: "@every 1m",
    labels: { team },
  });
  const settings: { template: string; route: object } = {
    template: sinkTemplate,
    route: {
      sink: "hook",
      routes: [
        { matchers: ['team="press"'], group_by: ["watch"], group_wait: "10m", template: "route" },
      ],
    },
    ...more,
  };
  const daemon = await startInnerDaemon({
    watches: () => ({ now: posts("comms"), later: posts("press") }),
    get sink() {
      return { template: settings.template };
    },
    get more() {
      return { templates: TEMPLATES, route: settings.route };
    },
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
  });
  const { clock, hook, control } = daemon;
  await clock.advance(5 * MINUTE);
  return {
    ...daemon,
    settings,
    post: async (text = "news for all") => {
      const { ids } = await control("tweets", { username: "one", text });
      await clock.advance(2 * MINUTE);
      return String(ids[0]);
    },
    /** Returns the messages that templates made for the alerts of a watch. */
    worded: (watch: string) =>
      hook.events().flatMap(({ watch: of, data }) => (of === watch ? [data["message"]] : [])),
  };
}

it("an alert is worded by its route's template, else by its sink's", async () => {
  const { post, worded, clock } = await setUp("short");
  await post();
  await clock.advance(12 * MINUTE);
  expect(worded("now")).toEqual([{ title: "one wrote", body: "news…" }]);
  expect(worded("later")).toEqual([{ title: "by route" }]);
});

it("an alert that waits keeps the template of its route over a restart and a reload", async () => {
  const { post, worded, clock, settings, reload, stop, start } = await setUp("short");
  await post();
  await stop();
  await start();
  settings.route = { sink: "hook" };
  await reload();
  await clock.advance(12 * MINUTE);
  expect(worded("later")).toEqual([{ title: "by route" }]);
  await post();
  expect(worded("later").at(-1)).toEqual({ title: "one wrote", body: "news…" });
});

it("a template that fails sends the default message, causes one ops alert, and is seen in the status until it is mended", async () => {
  const { post, worded, opsAlerts, status, settings, reload } = await setUp("broken");
  await post();
  await post();
  expect(worded("now")).toEqual([undefined, undefined]);
  const failing = () => opsAlerts().filter(({ type }) => type === "template.failing");
  expect(failing()).toHaveLength(1);
  expect(failing()[0]?.message).toMatch(
    /^The template broken failed for hook: graphemes needs a number.*line:1, col:/,
  );
  const { state, reasons } = await status();
  expect(state).toBe("degraded");
  expect(reasons.join()).toMatch(
    /the template broken failed for hook, which got the default message 2 times/,
  );
  settings.template = "short";
  await reload();
  await post();
  expect(worded("now").at(-1)).toEqual({ title: "one wrote", body: "news…" });
  expect((await status()).state).toBe("running");
  expect(failing()).toHaveLength(1);
});

it("render shows what would be sent, by event, tweet or watch, and sends nothing", async () => {
  const { post, call, hook } = await setUp("short");
  const tweet = await post();
  const sent = hook.messages().length;
  const ofWatch = await call("render?event=now&sink=hook");
  expect(ofWatch).toMatchObject({
    event: { type: "tweet.created", watch: "now" },
    template: "short",
    problem: "",
  });
  expect(ofWatch.text).toMatch(/^one wrote\nnews…\n/);
  expect(ofWatch.payload).toMatchObject({
    type: "tweet.created",
    data: { message: { title: "one wrote" } },
  });
  expect(await call(`render?event=${ofWatch.event.id.slice(0, 8)}&sink=hook`)).toEqual(ofWatch);
  expect(await call(`render?event=later&sink=hook`)).toMatchObject({
    template: "route",
    payload: { data: { message: { title: "by route" } } },
  });
  expect((await call(`render?event=${tweet}&sink=ops`)).template).toBeNull();
  expect(await call("render?event=nothing&sink=hook")).toMatchObject({
    error: { code: "RENDER_NOTHING" },
  });
  expect((await call("render?event=now&sink=hok")).error.message).toMatch(/there is no sink "hok"/);
  expect(hook.messages()).toHaveLength(sent);
});
