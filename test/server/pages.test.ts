/** Tests the pages of one alert, one watch and one sink, and what their forms do. */
import { describe, expect, it } from "vitest";
import { createRoutes } from "../../src/server/routes.ts";
import type { ItemHistory } from "../../src/model/history.ts";
import { makeEvent } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  type DaemonStandIn,
  eventEntry,
  NOW_MS,
  silentLog,
  sinkView,
  statusView,
  watchView,
} from "./daemon-stand-in.ts";

function setUp(token?: string) {
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const routes = createRoutes(
    { ...daemon, clock, log: silentLog },
    token === undefined ? { kind: "socket" } : { kind: "tcp", token },
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const get = async (path: string) => {
    const answer = await routes.request(path, { headers });
    return { status: answer.status, words: wordsOf(await answer.text()) };
  };
  const send = async (path: string, fields: Readonly<Record<string, string>> = {}) => {
    const answer = await routes.request(path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
    const location = answer.headers.get("location");
    return {
      status: answer.status,
      leadsTo: location === null ? null : new URL(location, `http://h${path}`).href.slice(8),
      words: wordsOf(await answer.text()),
    };
  };
  return { daemon, get, send };
}

const wordsOf = (text: string) =>
  text
    .slice(text.indexOf("<body>"))
    .replace(/<script>.*<\/script>/s, " ")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const history = (changes: Partial<ItemHistory> = {}): ItemHistory => ({
  watch: "brand-mentions",
  target: "acme",
  itemId: "1899000000000000001",
  verdict: "event",
  detail: "",
  occurredAtMs: NOW_MS - 60_000,
  seenAtMs: NOW_MS - 50_000,
  event: { ...makeEvent("e1"), id: "e1" },
  deliveries: [
    {
      sink: "brand",
      state: "sent",
      messageId: "m1",
      attempts: 2,
      sentAtMs: NOW_MS - 20_000,
      ref: "7",
      detail: "",
      wait: null,
      groupKey: "",
      throttleKey: null,
      silencedBy: null,
      replayedAtMs: null,
      joinedEventId: null,
      channel: null,
      failures: [],
      edit: null,
      routed: null,
      thread: null,
    } as unknown as ItemHistory["deliveries"][number],
  ],
  acknowledged: { by: "Ada", atMs: NOW_MS - 10_000, from: "page" },
  ...changes,
});

const show = (daemon: DaemonStandIn, ...histories: readonly ItemHistory[]) => {
  daemon.found = { ...daemon.found, itemId: "1899000000000000001", histories };
  daemon.events = { events: [eventEntry()], next: null, searched_to: null };
};

describe("the page of an alert", () => {
  it("shows what happened in the order of time, and offers what one can do", async () => {
    const { daemon, get } = setUp();
    show(daemon, history());
    const { status, words } = await get("/alerts/e1");
    expect(status).toBe(200);
    expect(words).toMatch(
      /13:59:00 posted .*13:59:10 seen at acme: news: it became an alert .*13:59:40 brand : sent .*13:59:50 acknowledged by Ada/,
    );
    expect(words).toContain("Silence alerts like this");
    expect(words).toContain("Send again");
  });

  it("says of an item without an alert why, found by its link", async () => {
    const { daemon, get } = setUp();
    const { event: _, ...other } = history({
      verdict: "filtered",
      detail: "the text contains spam",
      deliveries: [],
    });
    show(daemon, other);
    daemon.events = { events: [], next: null, searched_to: null };
    const link = "https://x.com/alice/status/1899000000000000001";
    const { status, words } = await get(`/alerts?item=${encodeURIComponent(link)}`);
    expect(daemon.asked).toContain(`explain ${link}`);
    expect(status).toBe(200);
    expect(words).toContain("seen at acme: no alert: filtered (the text contains spam)");
    expect(words).not.toContain("Send again");
  });

  it("names the watches that did not see an item, and asks for an item if none is given", async () => {
    const { daemon, get } = setUp();
    daemon.found = {
      ...daemon.found,
      itemId: "5",
      unseen: {
        posted_at: null,
        is_forgotten: false,
        watches: [{ watch: "w", target: "acme", could_see: true, reason: "it is too old" }],
        more: 0,
      },
    };
    const { status, words } = await get("/alerts?item=5");
    expect(status).toBe(404);
    expect(words).toContain("No poll of any watch returned it.");
    expect(words).toContain("w (acme): it is too old");
    expect(await get("/alerts?item=")).toMatchObject({
      status: 400,
      words: expect.stringContaining("write the link or the id of a post, or a handle"),
    });
  });

  it("sends an alert again, to the sink that was chosen or to those that lack it", async () => {
    const { daemon, send } = setUp();
    expect(await send("/alerts/e1/replay", { sink: "brand", by: "Ada" })).toMatchObject({
      status: 303,
      leadsTo: "/alerts/e1?done=replayed",
    });
    await send("/alerts/e1/replay", { sink: "" });
    expect(daemon.asked).toEqual([
      'replay {"what":{"eventId":"e1"},"sink":"brand","by":"Ada"}',
      'replay {"what":{"eventId":"e1"},"by":"page"}',
    ]);
  });
});

describe("the page of a watch", () => {
  it("says what it reads, alerts and costs by day, and what is wrong", async () => {
    const { daemon, get } = setUp();
    daemon.status = statusView({
      watches: [
        watchView({
          problem: "429: slow down",
          targets: [
            { name: "@good", status: "ok", reason: "" },
            { name: "@ghost", status: "unavailable", reason: "suspended" },
          ],
        }),
      ],
      open_gaps: [
        {
          watches: ["brand-mentions"],
          opened_at: "2026-03-10T12:00:00.000Z",
          shrunk_at: "2026-03-10T12:00:00.000Z",
          polls: 12,
          cause: "quota",
          stuck: true,
        },
      ],
    });
    const { words } = await get("/watches/brand-mentions");
    for (const part of [
      "4,032 requests",
      "429: slow down",
      "open since 2 h ago , 12 polls without progress: the quota leaves no requests for it",
      "@ghost unavailable suspended @good ok",
    ])
      expect(words).toContain(part);
  });

  it("pauses and resumes once, and says so if it was so already", async () => {
    const { daemon, send, get } = setUp();
    expect((await send("/watches/brand-mentions/pause", { by: "Ada" })).leadsTo).toBe(
      "/watches/brand-mentions?done=paused",
    );
    daemon.status = statusView({ watches: [watchView({ paused: true })] });
    const again = await send("/watches/brand-mentions/pause");
    expect(again.leadsTo).toBe("/watches/brand-mentions?done=paused_already");
    expect((await get(again.leadsTo ?? "")).words).toContain("The watch was paused already.");
    await send("/watches/brand-mentions/resume", { from_now: "true" });
    expect(daemon.asked.filter((one) => /pause|resume/.test(one))).toEqual([
      "pause brand-mentions",
      "pause brand-mentions",
      "resume brand-mentions from now",
    ]);
  });

  it("says the price of a test and of its past before anything is paid for", async () => {
    const { daemon, get, send } = setUp();
    expect((await get("/watches/brand-mentions/test")).words).toContain("costs 2 requests");
    expect((await get("/watches/brand-mentions/backfill?since=7d")).words).toContain(
      "costs about 12 requests",
    );
    expect(daemon.asked).toEqual([]);
    expect((await send("/watches/brand-mentions/test")).words).toMatch(
      /1 of 2 items would raise an alert.* Bob \(@bob\) posted spam because the words contain spam/,
    );
    const read = await send("/watches/brand-mentions/backfill", {
      since: "7d",
      max_requests: "15",
      by: "Ada",
    });
    expect(read.words).toContain("3 alerts for 12 requests, sent within a minute.");
    expect(daemon.asked.at(-1)).toBe(
      `backfill {"watchId":"brand-mentions","sinceMs":${NOW_MS - 7 * 86_400_000},"maxRequests":15,"by":"Ada"}`,
    );
  });

  it.for([
    ["since=soon&max_requests=5", "since must be a time like"],
    ["since=7d&max_requests=1000", "a whole number from 1 to 100"],
    ["since=7d&max_requests=-1", "a whole number from 1 to 100"],
  ])("refuses a backfill with %s, and says what to write", async ([body = "", problem]) => {
    const { daemon, send } = setUp();
    const fields = Object.fromEntries(new URLSearchParams(body));
    expect(await send("/watches/brand-mentions/backfill", fields)).toMatchObject({
      status: 400,
      words: expect.stringContaining(problem ?? ""),
    });
    expect(daemon.asked).toEqual([]);
  });
});

describe("the page of a sink", () => {
  const failing = sinkView({
    breaker: "open",
    reason: "404 Unknown Webhook",
    hint: "create it again",
    failing_since: "2026-03-10T13:00:00.000Z",
    next_attempt_at: "2026-03-10T14:05:00.000Z",
    waiting: 3,
    waits: [{ cause: "sink_failing", until: null, reason: "the sink fails", count: 3 }],
    dead: 1,
  });

  it("says what is wrong, what waits and what was given up, and what to do", async () => {
    const { daemon, get } = setUp();
    daemon.status = statusView({ sinks: [failing] });
    daemon.dead = {
      groups: [],
      sinks: ["brand"],
      dead: [
        {
          message_id: "m9",
          sink: "brand",
          cause: "expired",
          error: "500 Internal",
          given_up_at: "2026-03-10T13:30:00.000Z",
          attempts: 12,
          alerts: [{ id: "e1", type: "tweet.created", watch: "w", title: "Alice", url: null }],
        },
      ],
    };
    const { words } = await get("/sinks/brand");
    for (const part of [
      "for 1 h : 404 Unknown Webhook",
      "create it again",
      "3: the sink fails",
      "Alice message m9 30 min ago 500 Internal expired, 12 attempts",
      "Try now",
      "Send dead letters again",
    ])
      expect(words).toContain(part);
  });

  it("says what each form did, also the second time", async () => {
    const { daemon, send } = setUp();
    expect((await send("/sinks/brand/resume")).leadsTo).toBe("/sinks/brand?done=sink_resumed");
    expect((await send("/sinks/brand/test")).leadsTo).toBe("/sinks/brand?done=sample_sent");
    expect((await send("/sinks/brand/dead/replay", { by: "Ada" })).leadsTo).toBe(
      "/sinks/brand?done=dead_none",
    );
    expect(daemon.asked).toContain("resend brand by Ada");
    daemon.status = statusView({ sinks: [failing] });
    const refused = await send("/sinks/brand/test");
    expect(refused).toMatchObject({
      status: 400,
      words: expect.stringContaining("404 Unknown Webhook"),
    });
  });
});

it("has a way on for a watch or a sink that is gone, on its page and from its forms", async () => {
  const { get, send } = setUp();
  for (const path of ["/watches/%3Cb%3E", "/sinks/%3Cb%3E", "/watches/%3Cb%3E/test"]) {
    const { status, words } = await get(path);
    expect(status).toBe(404);
    expect(words).toContain("it was renamed or removed");
    expect(words).toContain("its past alerts");
  }
  for (const path of ["/watches/x/pause", "/sinks/x/resume", "/sinks/x/test"])
    expect((await send(path)).status, path).toBe(404);
});

it("says only what it knows itself, whatever the address says was done", async () => {
  const { get } = setUp();
  expect((await get("/?done=paused")).words).toContain("The watch is paused.");
  for (const done of ["You are hacked", "toString", "__proto__"])
    expect((await get(`/?done=${encodeURIComponent(done)}`)).words).not.toContain(done);
});

it("says what is wrong with a configuration that is refused", async () => {
  const { daemon, send } = setUp();
  daemon.reload = { ok: false, errors: ["watches.yaml:3:1: unknown key"] };
  expect(await send("/reload")).toMatchObject({
    status: 400,
    words: expect.stringContaining("watches.yaml:3:1: unknown key"),
  });
});

it("writes the token's name into the audit where nobody gives a name", async () => {
  const { daemon, send } = setUp("secret");
  await send("/sinks/brand/dead/replay");
  expect(daemon.asked).toEqual(["resend brand by page with server.token"]);
});

it("searches by the fields of its form, and goes on where a search ended", async () => {
  const { daemon, get } = setUp();
  daemon.events = { events: [eventEntry()], next: "77", searched_to: "2026-03-10T13:57:10.400Z" };
  const { words } = await get("/events?text=spam&sink=brand&state=dead&watch=&author=");
  expect(daemon.asked[0]).toContain('"text":"spam","sink":"brand","state":"dead","limit":50');
  expect(words).toContain("Searched back to 2026-03-10 13:57 UTC. older events");
});
