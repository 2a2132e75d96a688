/**
 * Tests what follows when a post that was announced is gone: never louder than the announcement, in
 * a chat that can edit messages and in one that cannot.
 */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";

// The virtual clock does not wait for modules that the sinks load at their first use.
beforeAll(async () => void (await Promise.all([import("@slack/web-api"), import("discord.js")])));

const MINUTE = 60_000;
const TEXT = "a zebra that nobody should quote";

/** Starts a Slack and a Discord that accept everything and record their requests. */
async function startChats() {
  const calls: { readonly what: string; readonly body: any }[] = [];
  let [refusesEdits, isDown] = [false, false];
  const server = await startLoopbackServer((request, response) => {
    const { method, url } = request;
    const isSlack = url.startsWith("/api/chat.") || url.startsWith("/api/auth.");
    const body = isSlack
      ? Object.fromEntries(new URLSearchParams(request.body))
      : JSON.parse(request.body || "{}");
    if (url.endsWith("auth.test")) return json({ ok: true })(request, response);
    if (isDown) return void response.writeHead(503).end();
    const isEdit = url.endsWith("chat.update") || method === "PATCH";
    calls.push({ what: `${method} ${url.replace(/^\/api\/(v10\/)?/, "")}`, body });
    if (isEdit && refusesEdits)
      return json(
        isSlack ? { ok: false, error: "cant_update_message" } : { code: 50_005 },
        isSlack ? 200 : 403,
      )(request, response);
    const id = String(900 + calls.length);
    const channel = /channels\/(\d+)/.exec(url)?.[1] ?? "55";
    return json(
      isSlack
        ? { ok: true, ts: `1.${id}`, channel: "C1" }
        : url.endsWith("/threads")
          ? { id, message: { id } }
          : { id, channel_id: channel },
    )(request, response);
  });
  onTestFinished(() => server.close());
  return {
    api: `${server.url}/api`,
    calls,
    since: (n: number) => calls.slice(n),
    refuseEdits: () => void (refusesEdits = true),
    setDown: (down: boolean) => void (isDown = down),
  };
}

type Chats = Awaited<ReturnType<typeof startChats>>;

async function setUp(
  chats: Chats,
  sink: object,
  more: object = {},
  options: Partial<InnerDaemonOptions> = {},
) {
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: {
        type: "search",
        query: "zebra",
        schedule: "@every 10s",
        recheck: { every: "1m", until: "1h" },
      },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    more: { sinks: { chat: sink }, route: { sink: "chat" }, ops: undefined, ...more },
    ...options,
  });
  await daemon.clock.advance(MINUTE / 2);
  const post = async () => {
    const { ids } = await daemon.control("tweets", { username: "loud_one", text: TEXT });
    await daemon.clock.advance(MINUTE / 2);
    return ids[0] as string;
  };
  const remove = async (id: string) => {
    await daemon.control(`tweets/${id}`, undefined, "DELETE");
    // The post counts as deleted after two rechecks without it.
    await daemon.clock.advance(6 * MINUTE);
  };
  return { daemon, post, remove, chats };
}

const slackOf = (chats: Chats, more: object = {}) => ({
  type: "slack",
  token: "xoxb-1",
  channel: "#brand",
  api_url: `${chats.api}/`,
  ...more,
});
const discordOf = (chats: Chats, more: object = {}) => ({
  type: "discord",
  token: "t",
  channel_id: "55",
  api_url: chats.api,
  ...more,
});
const textOf = (call: { readonly body: any } | undefined) => JSON.stringify(call?.body ?? {});
const verdictsOf = async (daemon: { call: any }, id: string) =>
  (await daemon.call(`explain/${id}`)).verdicts.map(
    ({ event, verdict, deliveries: [delivery] }: any) => [event.type, verdict, delivery?.state],
  );

it("answers the alert on Slack, without the text, and calls nobody", async () => {
  const chats = await startChats();
  const { daemon, post, remove } = await setUp(
    chats,
    slackOf(chats, { mention: [{ user: "U12345678" }] }),
  );
  const id = await post();
  expect(textOf(chats.calls[0])).toContain("U12345678");
  await remove(id);
  const [answer, ...others] = chats.since(1);
  expect(others).toEqual([]);
  expect([answer?.what, answer?.body.thread_ts]).toEqual(["POST chat.postMessage", "1.901"]);
  expect(textOf(answer)).toContain("is gone");
  expect(textOf(answer)).not.toMatch(/zebra|U12345678|reply_broadcast/);
  expect(await verdictsOf(daemon, id)).toEqual([
    ["tweet.created", "event", "sent"],
    ["tweet.deleted", "event", "sent"],
  ]);
});

it.each([
  ["a channel with crossposts", { crosspost: true, mention: { role: "222" } }, 2],
  ["a channel with threads", { thread: "new", mention: { role: "222" } }, 2],
  ["a forum", { forum: { tags: [] }, mention: { role: "222" } }, 1],
])(
  "answers the alert on Discord in %s, opening and publishing nothing",
  async (_, more, before) => {
    const chats = await startChats();
    const { post, remove } = await setUp(chats, discordOf(chats, more));
    const id = await post();
    expect(chats.calls).toHaveLength(before);
    const place = "forum" in more ? "901" : "55";
    await remove(id);
    const [answer, ...others] = chats.since(before);
    expect(others).toEqual([]);
    expect([answer?.what, answer?.body.message_reference.message_id]).toEqual([
      `POST channels/${place}/messages`,
      "901",
    ]);
    expect(textOf(answer)).toContain("is gone");
    expect(textOf(answer)).not.toMatch(/zebra|222/);
  },
);

describe("two watches that follow one post", () => {
  const watch = {
    type: "search",
    query: "zebra",
    schedule: "@every 10s",
    recheck: { every: "1m", until: "1h" },
  };
  const both = { watches: () => ({ w: watch, v: { ...watch, labels: { team: "press" } } }) };

  it("say once that it was edited, for each text, and once that it is gone", async () => {
    const chats = await startChats();
    const { daemon, post, remove } = await setUp(chats, slackOf(chats), {}, both);
    const id = await post();
    for (const text of ["a second zebra", "a third zebra"]) {
      await daemon.control(`tweets/${id}`, { full_text: text }, "PATCH");
      await daemon.clock.advance(3 * MINUTE);
    }
    await remove(id);
    const replies = chats.since(1);
    expect(replies.map(({ body }) => body.thread_ts)).toEqual(["1.901", "1.901", "1.901"]);
    expect(
      replies.map((call) => /second zebra|third zebra|is gone/.exec(textOf(call))?.[0]),
    ).toEqual(["second zebra", "third zebra", "is gone"]);
  });

  it("say it for each of them where each had a message", async () => {
    const chats = await startChats();
    const { post, remove } = await setUp(chats, slackOf(chats, { dedupe: false }), {}, both);
    await remove(await post());
    expect(chats.since(2).map(({ body }) => body.thread_ts)).toEqual(["1.901", "1.902"]);
  });

  it("say it with the other's words where only one of them asks again", async () => {
    const chats = await startChats();
    const { recheck: _, ...first } = watch;
    const { post, remove } = await setUp(
      chats,
      slackOf(chats),
      {},
      { watches: () => ({ a: first, w: watch }) },
    );
    await remove(await post());
    expect(chats.since(1).map(({ body }) => body.thread_ts)).toEqual(["1.901"]);
  });
});

it("says nothing beside the edit that says it", async () => {
  const chats = await startChats();
  const { daemon, post, remove } = await setUp(chats, slackOf(chats, { update: ["deleted"] }));
  const id = await post();
  await remove(id);
  expect(chats.since(1).map(({ what }) => what)).toEqual(["POST chat.update"]);
  expect(textOf(chats.calls[1])).not.toContain("zebra");
  const [, gone] = (await daemon.call(`explain/${id}`)).verdicts;
  expect(gone.deliveries).toMatchObject([
    { state: "sent", detail: "the message of its alert was edited" },
  ]);
});

it("answers the alert whose edit is refused", async () => {
  const chats = await startChats();
  const { post, remove } = await setUp(chats, slackOf(chats, { update: ["deleted"] }));
  const id = await post();
  chats.refuseEdits();
  await remove(id);
  expect(chats.since(1).map(({ what, body }) => [what, body.thread_ts])).toEqual([
    ["POST chat.update", undefined],
    ["POST chat.postMessage", "1.901"],
  ]);
});

it("answers it beside the edit with follow_up: always", async () => {
  const chats = await startChats();
  const { post, remove } = await setUp(
    chats,
    discordOf(chats, { update: ["deleted"], follow_up: "always" }),
  );
  await remove(await post());
  expect(
    chats
      .since(1)
      .map(({ what }) => what)
      .sort(),
  ).toEqual(["PATCH channels/55/messages/901", "POST channels/55/messages"]);
});

it("fault 104: does not send an alert whose post is gone while it waits for the end of an outage", async () => {
  const chats = await startChats();
  const { daemon, post, remove } = await setUp(chats, slackOf(chats));
  chats.setDown(true);
  const [gone, kept] = [await post(), await post()];
  await remove(gone);
  chats.setDown(false);
  await daemon.clock.advance(10 * MINUTE);
  expect(chats.calls).toHaveLength(1);
  expect(textOf(chats.calls[0])).toContain(kept);
  expect(await verdictsOf(daemon, gone)).toEqual([
    ["tweet.created", "deleted", "deleted"],
    ["tweet.deleted", "deleted", "deleted"],
  ]);
});

it("fault 104: leaves out of a digest what is gone, and counts it", async () => {
  const chats = await startChats();
  const digest = { schedule: "0 15 * * *" };
  const { daemon, post, remove } = await setUp(chats, slackOf(chats, { digest }));
  const ids = [await post(), await post(), await post()];
  for (const id of ids.slice(0, 2)) await daemon.control(`tweets/${id}`, undefined, "DELETE");
  await remove(ids[2] === undefined ? "" : await post());
  await daemon.clock.advance(90 * MINUTE);
  expect(chats.calls).toHaveLength(1);
  expect(chats.calls[0]?.body.text).toContain("3 were deleted");
  expect(textOf(chats.calls[0])).toContain(ids[2]);
  for (const id of ids.slice(0, 2)) expect(textOf(chats.calls[0])).not.toContain(id);
});

it.each([
  ["is not sent", undefined, []],
  [
    "says that nothing is new with when_empty: say",
    "say",
    [expect.stringContaining("nothing new")],
  ],
])("a digest whose posts are all gone %s", async (_, whenEmpty, texts) => {
  const chats = await startChats();
  const digest = { schedule: "0 15 * * *", ...(whenEmpty && { when_empty: whenEmpty }) };
  const { daemon, post, remove } = await setUp(chats, slackOf(chats, { digest }));
  const first = await post();
  await remove(await post());
  await remove(first);
  await daemon.clock.advance(90 * MINUTE);
  expect(chats.calls.map(({ body }) => body.text)).toEqual(texts);
});

it("gives a webhook the end of a post without its text, after the alert", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: {
        type: "search",
        query: "zebra",
        schedule: "@every 10s",
        recheck: { every: "1m", until: "1h" },
      },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
  });
  await daemon.clock.advance(MINUTE / 2);
  const { ids } = await daemon.control("tweets", { username: "loud_one", text: TEXT });
  await daemon.clock.advance(MINUTE / 2);
  await daemon.control(`tweets/${ids[0]}`, undefined, "DELETE");
  await daemon.clock.advance(6 * MINUTE);
  expect(
    daemon.hook.events().map(({ type, subject, data }) => [type, subject, data.tweet.full_text]),
  ).toEqual([
    ["tweet.created", ids[0], TEXT],
    ["tweet.deleted", ids[0], ""],
  ]);
});
