/** Edits through the real store and the real chat sinks, to stand-ins that hold their messages. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFindEdits } from "../../src/deliver/find-edits.ts";
import type { Pump } from "../../src/deliver/pump.ts";
import type { EditCause } from "../../src/model/edit-cause.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { startDiscordStandIn } from "../support/discord-stand-in.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { useRealChat } from "./real-chat.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

const chat = useRealChat({ chat: true }, Date.UTC(2026, 0, 15, 0, 12));
let discord: Awaited<ReturnType<typeof startDiscordStandIn>>;
let slack: Awaited<ReturnType<typeof startSlackStandIn>>;
let pump: Pump;
let causes: ReadonlySet<EditCause>;
// It takes real time to load, in which the virtual clock would run on.
beforeAll(async () => void (await import("@slack/web-api")));
beforeEach(async () => {
  discord = chat().keep(await startDiscordStandIn(chat().clock));
  slack = chat().keep(await startSlackStandIn(chat().clock));
});

async function start(type: "discord" | "slack", ...update: readonly EditCause[]): Promise<void> {
  causes = new Set(update);
  pump =
    type === "discord"
      ? await chat().startPump(discordSink, {
          ...{
            token: "t",
            channel_id: "55",
            api_url: discord.apiUrl,
            update,
            crosspost: false,
            style: "embed",
          },
        })
      : await chat().startPump(slackSink, {
          token: "t",
          channel: "#brand",
          api_url: slack.apiUrl,
          update,
        });
}

const tweetOf = (id: string, changes: Partial<Tweet> = {}): Tweet => ({
  ...makeTweet(id),
  full_text: "launch at 9",
  likes_count: 1,
  ...changes,
});

/** A watch alerts on these tweets. */
async function post(...ids: readonly string[]): Promise<void> {
  const { store, clock } = chat();
  const target = { key: "t", name: "acme", kind: "query" } as const;
  const [watch] = await store.registerWatches(
    [{ id: "w", type: "search", targets: [target] }],
    clock.now(),
  );
  const watchKey = watch?.key ?? "";
  const events = ids.map((id) =>
    makeEvent(id, {
      watchKey,
      watch: "w",
      body: { tweet: tweetOf(id) },
      detectedAtMs: clock.now(),
    }),
  );
  const verdicts = events.map(({ id: eventId, subject: itemId }) => ({
    ...{
      watchKey,
      targetKey: "t",
      itemId,
      eventId,
      itemKind: "tweet" as const,
      verdict: "event" as const,
      detail: "",
      occurredAtMs: 0,
    },
  }));
  await chat().commit(events, verdicts);
}

const find = (tweets: readonly Tweet[], gone: readonly string[] = []) =>
  createFindEdits({
    store: chat().store,
    hash: sha256,
    clock: chat().clock,
    causes: () => new Map([["chat", causes]]),
  })([
    ...tweets.map((tweet) => ({ kind: "seen" as const, tweet })),
    ...gone.map((tweetId) => ({ kind: "gone" as const, tweetId })),
  ]);

/** A later poll sees them so. */
async function see(tweets: readonly Tweet[], gone: readonly string[] = []): Promise<number> {
  const edits = await find(tweets, gone);
  await chat().store.commitPoll({
    atMs: chat().clock.now(),
    targets: [],
    verdicts: [],
    events: [],
    deliveries: [],
    edits,
  });
  pump.wake();
  return edits.length;
}

const editOf = async (id: string) => (await chat().store.explainItem(id))[0]?.deliveries[0]?.edit;
const advance = (ms: number): Promise<void> => chat().clock.advance(ms);

describe.each(["discord", "slack"] as const)("a message of %s", (type) => {
  const standIn = () => (type === "discord" ? discord : slack);
  const shown = () => standIn().messages.map((message) => message.shown);

  it("shows the new text of its tweet, at most one edit a minute, the newest last", async () => {
    await start(type, "edited");
    await post("1000000000000000001");
    await advance(5 * SECOND);
    for (const hour of [10, 11, 12]) {
      await see([tweetOf("1000000000000000001", { full_text: `launch at ${hour}` })]);
      await advance(5 * SECOND);
    }
    expect(standIn().edits).toHaveLength(1);
    expect(shown()[0]).toContain("launch at 10");
    await advance(2 * MINUTE);
    expect(standIn().edits).toHaveLength(2);
    expect(shown()[0]).toContain("launch at 12");
    expect(shown()[0]).toContain("edited");
    expect(await editOf("1000000000000000001")).toMatchObject({ state: "done", error: "" });
    // An answer from a cache is no edit.
    expect(await see([tweetOf("1000000000000000001", { full_text: "launch at 9" })])).toBe(0);
  });

  it("whose tweet is gone becomes a note without its text, for good", async () => {
    await start(type, "deleted", "edited", "counts");
    await post("1000000000000000001", "1000000000000000002");
    await advance(5 * SECOND);
    await see([tweetOf("1000000000000000002")], ["1000000000000000001"]);
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("is gone");
    expect(shown()[0]).not.toContain("launch");
    expect(shown()[1]).toContain("launch at 9");
    expect(
      await see([tweetOf("1000000000000000001", { full_text: "launch at 10", likes_count: 9 })]),
    ).toBe(0);
  });

  it("shows counts as a later poll saw them, where people would see a difference", async () => {
    await start(type, "counts");
    await post("1000000000000000001");
    await advance(5 * SECOND);
    await see([tweetOf("1000000000000000001", { likes_count: 1_234, full_text: "another text" })]);
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("Likes 1.2K");
    expect(shown()[0]).toContain("launch at 9");
    await advance(2 * MINUTE);
    await see([tweetOf("1000000000000000001", { likes_count: 1_235 })]);
    await advance(2 * MINUTE);
    expect(standIn().edits).toHaveLength(1);
  });

  it("that holds several alerts, or was removed by somebody, is left alone", async () => {
    await start(type, "deleted");
    await post("1000000000000000001");
    await advance(5 * SECOND);
    standIn().remove(standIn().messages[0]?.id ?? "");
    await see([], ["1000000000000000001"]);
    await advance(MINUTE);
    expect(standIn().edits).toHaveLength(0);
    expect(await editOf("1000000000000000001")).toMatchObject({ state: "refused" });
    const { deliveries } = (await chat().store.explainItem("1000000000000000001"))[0] ?? {};
    expect(deliveries).toMatchObject([{ state: "sent" }]);
    expect(await chat().store.loadSinkHealth()).toEqual([]);
  });

  it("is edited after a restart, once", async () => {
    await start(type, "deleted");
    await post("1000000000000000001");
    await advance(5 * SECOND);
    await pump.stop(0);
    await see([], ["1000000000000000001"]);
    await start(type, "deleted");
    await advance(3 * MINUTE);
    expect(standIn().edits).toHaveLength(1);
    expect(shown()[0]).toContain("is gone");
  });

  it.each(["down", "limited"] as const)(
    "is tried four times where the sink is %s, then dropped until the tweet changes again",
    async (how) => {
      await start(type, "edited");
      await post("1000000000000000001");
      await advance(5 * SECOND);
      standIn().failEdits(how);
      await see([tweetOf("1000000000000000001", { full_text: "launch at 10" })]);
      await advance(5 * SECOND);
      expect(await editOf("1000000000000000001")).toMatchObject({
        state: "waiting",
        error: expect.stringMatching(/50|asks to wait/) as string,
      });
      await advance(2 * MINUTE);
      expect(standIn().refusedEdits()).toBe(2);
      await advance(28 * MINUTE);
      expect(standIn().refusedEdits()).toBe(4);
      expect(await editOf("1000000000000000001")).toMatchObject({ state: "dropped" });
      expect(await chat().store.loadSinkHealth()).toEqual([]);
      standIn().failEdits("no");
      await see([tweetOf("1000000000000000001", { full_text: "launch at 11" })]);
      await advance(2 * MINUTE);
      expect(shown()[0]).toContain("launch at 11");
    },
  );
});

it("waits for its message: what is seen before that is sent, is shown right after", async () => {
  causes = new Set(["deleted"]);
  await post("1000000000000000001");
  const edits = await find([], ["1000000000000000001"]);
  await chat().store.commitPoll({
    atMs: chat().clock.now(),
    targets: [],
    verdicts: [],
    events: [],
    deliveries: [],
    edits,
  });
  await start("slack", "deleted");
  await advance(10 * SECOND);
  expect(slack.messages).toHaveLength(1);
  expect(slack.edits).toHaveLength(1);
  expect(slack.messages[0]?.shown).toContain("is gone");
});

it("reads nothing where no sink edits", async () => {
  const store = { editableAlerts: () => Promise.reject(new Error("read")) };
  const findEdits = createFindEdits({
    store,
    hash: sha256,
    clock: chat().clock,
    causes: () => new Map(),
  });
  expect(await findEdits([{ kind: "seen", tweet: tweetOf("1") }])).toEqual([]);
});
