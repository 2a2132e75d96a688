/**
 * Tests snoozes in the whole daemon: what one holds back, at which sink, and what is sent when it
 * ends.
 */
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";

// The virtual clock does not wait for modules that the sinks load at their first use.
beforeAll(async () => void (await import("@slack/web-api")));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Starts a Slack that accepts everything unless it is down, and records the messages. */
async function startSlack() {
  const posts: Record<string, string>[] = [];
  let isDown = false;
  const server = await startLoopbackServer((request, response) => {
    if (isDown) return void response.writeHead(503).end();
    const body = Object.fromEntries(new URLSearchParams(request.body));
    if (request.url.endsWith("chat.postMessage")) posts.push(body);
    return json({ ok: true, ts: `1.${posts.length}`, channel: "C1" })(request, response);
  });
  onTestFinished(() => server.close());
  const api = `${server.url}/api/`;
  return { api, posts, setDown: (down: boolean) => void (isDown = down) };
}

async function setUp(more: object = {}, sink: object = {}) {
  const slack = await startSlack();
  const daemon = await startInnerDaemon({
    watches: () => ({
      brand: {
        ...{ type: "timeline", accounts: ["one"], schedule: "@every 10m" },
        include: { replies: true },
      },
    }),
    more: {
      sinks: {
        hook: { type: "webhook", url: "http://127.0.0.1:9/", allow_private: true },
        chat: {
          ...{ type: "slack", token: "t", channel: "C1", api_url: slack.api },
          mention: [{ user: "U1" }],
          ...sink,
        },
      },
      route: { sink: "chat" },
      ops: { sink: "hook" },
      ...more,
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  const { clock, control, call } = daemon;
  await clock.advance(11 * MINUTE);
  const post = async (text: string, replyTo?: string): Promise<string> => {
    const reply = replyTo === undefined ? {} : { reply_to: replyTo };
    const { ids } = await control("tweets", { username: "one", text, ...reply });
    await clock.advance(11 * MINUTE);
    return ids[0];
  };
  const act = async (id: string, action: string) => {
    const [verdict] = (await call(`explain/${id}`)).verdicts;
    return call(`alerts/${verdict.event.id}/${action}`, "POST");
  };
  const since = (n: number) => slack.posts.slice(n).map(({ text }) => text ?? "");
  return { ...daemon, slack, post, act, since };
}

it("holds back one conversation, also over a restart, and ends in one digest below the first alert", async () => {
  const { clock, post, act, slack, since, status, stop, start, call } = await setUp();
  const first = await post("a question");
  expect(slack.posts).toHaveLength(1);
  const held = { matchers: [`conversation="${first}"`], sink: "chat" };
  expect(await act(first, "snooze?for=4h&by=Ada")).toMatchObject({
    ...{ alerts: 1, changed: 1, effect: "now", held: [{ ...held, id: "1", change: "added" }] },
  });
  expect(await act(first, "snooze?for=4h&by=Bob")).toMatchObject({
    ...{ changed: 0, held: [{ id: "1", change: "unchanged", by: "Ada" }] },
  });
  const answer = await post("an answer", first);
  await stop();
  await start();
  await post("more of it", answer);
  await post("something else");
  expect(since(1)).toEqual([expect.stringContaining("something else")]);
  expect((await status()).silences).toMatchObject([
    { id: "1", kind: "snooze", sinks: ["chat"], silenced: [{ sink: "chat", alerts: 2 }] },
  ]);
  expect((await call(`explain/${answer}`)).verdicts[0].deliveries[0].wait).toMatchObject({
    reason: "held by snooze 1",
  });
  await clock.advance(4 * HOUR);
  const [digest, ...rest] = slack.posts.slice(2);
  expect(rest).toEqual([]);
  expect(digest?.["thread_ts"]).toBe("1.1");
  expect(JSON.stringify(digest)).toContain("they came during a snooze");
  expect(JSON.stringify(digest)).toMatch(/an answer.*more of it/);
  expect(JSON.stringify(digest)).not.toContain("<@U1>");
  await post("the last answer", first);
  expect(since(3)).toEqual([expect.stringContaining("the last answer")]);
});

it("ends in nothing where nothing came, and at once in its digest where somebody ends it", async () => {
  const { clock, post, act, slack, since, call } = await setUp({}, { timezone: "Asia/Tokyo" });
  const first = await post("a question");
  await act(first, "snooze?for=1h&by=Ada");
  await clock.advance(2 * HOUR);
  expect(slack.posts).toHaveLength(1);
  // It is about one o'clock in Tokyo on the seventh.
  const { held } = await act(first, "snooze?for=tomorrow&by=Ada");
  expect(held).toMatchObject([{ change: "added", until: "2026-03-08T00:00:00.000Z" }]);
  await post("an answer", first);
  expect(slack.posts).toHaveLength(1);
  expect(await call(`silences/${held[0].id}`, "DELETE")).toMatchObject({ state: "expired" });
  await clock.advance(MINUTE);
  expect(since(1)).toEqual([expect.stringContaining("an answer")]);
  expect(slack.posts[1]?.["thread_ts"]).toBe("1.1");
});

it("takes back an alert that its sink has not been sent, and loses none", async () => {
  const { clock, post, act, slack, since } = await setUp();
  const first = await post("a question");
  slack.setDown(true);
  const answer = await post("an answer", first);
  await clock.advance(MINUTE);
  const more = await post("more of it", answer);
  await act(first, "snooze?for=4h&by=Ada");
  slack.setDown(false);
  await clock.advance(2 * HOUR);
  expect(slack.posts).toHaveLength(1);
  await clock.advance(3 * HOUR);
  const said = since(1).join("\n") + JSON.stringify(slack.posts.slice(1));
  expect(said).toContain("an answer");
  expect(said).toContain("more of it");
  expect(more).not.toBe("");
});

it("mutes an author at the sinks that have the alert, and says what it cannot hold back", async () => {
  const { post, act, slack, call } = await setUp();
  const first = await post("a question");
  expect(await act(first, "author-silence?by=Ada")).toMatchObject({ changed: 1 });
  expect(await act(first, "author-silence?by=Ada")).toMatchObject({ changed: 0 });
  await post("something else");
  expect(slack.posts).toHaveLength(1);
  const { silences } = await call("silences");
  expect(silences).toMatchObject([
    { kind: "silence", sinks: ["chat"], comment: "muted author @one", author: "Ada" },
  ]);
  expect(silences[0].matchers[0]).toMatch(/^author_id="\d+"$/);
  expect(Date.parse(silences[0].ends_at) - Date.parse(silences[0].starts_at)).toBe(168 * HOUR);
  for (const [action, code, message] of [
    [
      "snooze",
      "HOLD_INVALID",
      "the length is missing: write how long, like 30m, 4h, 1w or tomorrow",
    ],
    [
      "snooze?for=soon",
      "HOLD_INVALID",
      'the length must be a time like 30m, 4h, 1w or tomorrow, not "soon"',
    ],
    ["snooze?for=1s", "HOLD_INVALID", "1s is too short to hold anything back: write at least 1m"],
    ["snooze?for=2y", "HOLD_INVALID", expect.stringContaining('not "2y"')],
    [
      "author-silence?for=tomorrow",
      "HOLD_INVALID",
      'the length must be a time like 4h, 7d or 2w, not "tomorrow"',
    ],
    [
      "snooze?for=1h&sink=hook",
      "HOLD_INVALID",
      'the alert did not go to the sink "hook", only to chat',
    ],
  ] as const)
    expect(await act(first, action)).toMatchObject({ error: { code, message } });
  expect(await call("alerts/gone/snooze?for=1h", "POST")).toMatchObject({
    error: { code: "ALERT_UNKNOWN" },
  });
});
