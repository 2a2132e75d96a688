/**
 * Tests which event `render` shows, with which template and in which words. render-command.test.ts
 * tests the command beside a daemon.
 */
import { describe, expect, it } from "vitest";
import { type RenderParts, renderEvent } from "../../../src/operate/views/render-event.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import type { EventQuery } from "../../../src/model/history.ts";
import type { Batch, Sink } from "../../../src/model/sink.ts";
import type { TemplateJob } from "../../../src/model/template.ts";
import type { RenderView } from "../../../src/server/schema/render-view.ts";
import { EVENT_TIME_MS, makeEvent } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const TWEET = "2012345678901234001";
const PAGE = 2;

interface Setup {
  readonly events?: readonly ChirpEvent[];
  readonly sink?: object;
  readonly route?: object;
  readonly body?: unknown;
}

/**
 * Sets up a history in pages of two, newest first. Each template prints its own name and the data
 * that it got.
 */
function setUp({ events = [], sink = {}, route, body = "plain" }: Setup = {}) {
  const jobs: TemplateJob[] = [];
  const batches: Batch[] = [];
  const store: RenderParts["store"] = {
    eventsById: async (ids) => events.filter(({ id }) => ids.includes(id)),
    findEvents: async ({ watches, before = "0" }: EventQuery) => {
      const found = events.filter((event) => watches?.includes(event.watch) ?? true);
      const end = Number(before) + PAGE;
      const page = found.slice(Number(before), end).map((event) => ({ event, deliveries: [] }));
      return { events: page, next: end < found.length ? String(end) : null } as never;
    },
  };
  const templates = ["own", "standard"].map((name) => ({ name, events: ["tweet.*"], title: name }));
  const config = {
    ...{ templates, route, ops: { sinks: [] }, linksHost: "https://x.com", server: {} },
    watches: [
      makeWatch(
        "brand",
        "search",
        { query: "acme" },
        { sinks: route === undefined ? ["chat"] : [] },
      ),
      makeWatch("other", "search", { query: "b" }),
    ],
    sinks: [{ name: "chat", type: "console", settings: {}, ...sink }],
  } as unknown as RenderParts["config"];
  const parts: RenderParts = {
    ...{ store, config, clock: createVirtualClock(EVENT_TIME_MS) },
    runner: {
      run: async (asked) => {
        jobs.push(...asked);
        return asked.map(({ template }) => ({ wording: { title: [`by ${template}`] } }));
      },
      stop: async () => undefined,
    },
    createSink: async () =>
      ({
        render(batch: Batch) {
          batches.push(batch);
          return body;
        },
      }) as unknown as Sink,
  };
  const render = (what: string, name = "chat") => renderEvent(parts, { what, sink: name });
  const view = async (what: string) => (await render(what)) as RenderView;
  return { render, view, jobs, batches };
}

const tweet = (id: string, subject = TWEET, watch = "brand") => makeEvent(subject, { id, watch });

describe("what is shown", () => {
  it("is the event of an id, of its beginning, of a tweet or its link, or the latest of a watch", async () => {
    const events = [
      tweet("zzzz9", "4"),
      tweet("yyyy9", "3"),
      tweet("abcd1"),
      tweet("wwww1", "1", "other"),
    ];
    const { view } = setUp({ events });
    for (const what of [
      "abcd1",
      "abcd",
      TWEET,
      `https://x.com/a/status/${TWEET}`,
      `https://x.com/a/statuses/${TWEET}`,
    ])
      expect((await view(what)).event).toEqual({
        id: "abcd1",
        type: "tweet.created",
        watch: "brand",
      });
    expect((await view("brand")).event.id).toBe("zzzz9");
    expect((await view("other")).event.id).toBe("wwww1");
  });

  it("is none for a beginning that is too short, of an ops alert, or of several ids", async () => {
    const ops = makeEvent("n", { id: "opsopsops", watch: "", watchKey: "" });
    const { render, view } = setUp({ events: [tweet("abcd1", "1"), tweet("abcd2", "2"), ops] });
    const nothing = (what: string) =>
      `there is no event and no watch "${what}"; known watches: brand, other. chirpwatch events --json lists the ids of events`;
    expect(await render("abc")).toBe(nothing("abc"));
    expect(await render("opsops")).toBe(nothing("opsops"));
    expect((await view("opsopsops")).event.id).toBe("opsopsops");
    expect(await render("abcd")).toBe(
      'several events have ids that start with "abcd": write more of the id',
    );
  });

  it("is a sample where a watch has had no event", async () => {
    const { view, batches } = setUp({ events: [tweet("abcd1")] });
    expect((await view("other")).sample).toBe(true);
    expect((await view("brand")).sample).toBe(false);
    expect(batches.map(({ sample }) => sample)).toEqual([true, false]);
  });

  it("is nothing where the sink's secrets are not known", async () => {
    expect(await setUp({ sink: { settings: undefined } }).render("brand")).toBe(
      "the secrets of chat are not available here",
    );
  });
});

describe("how it reads", () => {
  const events = [tweet("abcd1")];
  const TIME = "2026-01-15 12:00 UTC";
  const LINK = `https://x.com/alice/status/${TWEET}`;

  it("is its text with time and link, for the sink's readers", async () => {
    expect((await setUp({ events }).view("abcd1")).text).toBe(
      `ALICE (@alice) posted\ntweet ${TWEET}\nFollowers 10\nbrand\n${TIME}\n${LINK}`,
    );
    const abroad = setUp({
      events,
      sink: { region: { timezone: "Asia/Tokyo" }, template: "standard" },
    });
    expect((await abroad.view("abcd1")).text).toBe(
      `by standard\ntweet ${TWEET}\nFollowers 10\nbrand\n2026-01-15 21:00\n${LINK}`,
    );
    expect(abroad.jobs).toMatchObject([{ region: { timezone: "Asia/Tokyo" }, hasMoments: false }]);
    const [batch] = abroad.batches;
    expect(batch?.read(batch.events[0] as never).occurredAt).toBe("2026-01-15 21:00");
  });

  it("is by the template of its route, else by the sink's, else by none", async () => {
    const route = {
      path: "route",
      sinks: ["chat"],
      template: "own",
      routes: [],
      matchers: [],
      groupBy: [],
    };
    expect(
      await setUp({ events, sink: { template: "standard" }, route }).view("abcd1"),
    ).toMatchObject({
      template: "own",
      text: expect.stringMatching(/^by own/) as string,
    });
    expect(await setUp({ events, sink: { template: "standard" } }).view("abcd1")).toMatchObject({
      template: "standard",
    });
    expect(await setUp({ events }).view("abcd1")).toMatchObject({ template: null, problem: "" });
    const follower = makeEvent("5", {
      id: "wxyz1",
      type: "follower.added",
      watchType: "new_followers",
    });
    expect(
      await setUp({ events: [follower], sink: { template: "standard" } }).view("wxyz1"),
    ).toMatchObject({ template: null });
  });

  it("has a payload as JSON where the sink signs it as text, and as text where it is no JSON", async () => {
    expect((await setUp({ events, body: '{"a":1}' }).view("abcd1")).payload).toEqual({ a: 1 });
    expect((await setUp({ events, body: "a: 1" }).view("abcd1")).payload).toBe("a: 1");
    expect((await setUp({ events, body: { a: 1 } }).view("abcd1")).payload).toEqual({ a: 1 });
  });

  it("leaves moments to the sinks that show them", async () => {
    const { view, jobs } = setUp({ events, sink: { type: "discord", template: "standard" } });
    await view("abcd1");
    expect(jobs).toMatchObject([{ hasMoments: true }]);
  });
});
