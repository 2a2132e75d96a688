/**
 * The line that says who acknowledged the alerts of a message, through the real store and the real
 * chat sinks, to stand-ins that hold their messages.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Pump } from "../../src/deliver/pump.ts";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { startDiscordStandIn } from "../support/discord-stand-in.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { useRealChat } from "./real-chat.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ID = (n: number) => `100000000000000000${n}`;

const chat = useRealChat({ chat: true }, Date.UTC(2026, 0, 15, 0, 12));
let discord: Awaited<ReturnType<typeof startDiscordStandIn>>;
let slack: Awaited<ReturnType<typeof startSlackStandIn>>;
let pump: Pump;
// It takes real time to load, in which the virtual clock would run on.
beforeAll(async () => void (await import("@slack/web-api")));
beforeEach(async () => {
  discord = chat().keep(await startDiscordStandIn(chat().clock));
  slack = chat().keep(await startSlackStandIn(chat().clock));
});

const SETTINGS = {
  discord: () => ({
    ...{ token: "t", channel_id: "55", api_url: discord.apiUrl, crosspost: false, style: "embed" },
  }),
  slack: () => ({ token: "t", channel: "#brand", api_url: slack.apiUrl }),
} as const;
const TYPES = { discord: discordSink, slack: slackSink } as const;

async function start(type: keyof typeof TYPES, more: object = {}): Promise<void> {
  pump = await chat().startPump(TYPES[type], { ...SETTINGS[type](), ...more });
}

const advance = (ms: number): Promise<void> => chat().clock.advance(ms);
const eventOf = (n: number) =>
  makeEvent(ID(n), {
    body: { tweet: makeTweet(ID(n), `news ${n}`) },
    detectedAtMs: chat().clock.now(),
  });

/** Commits alerts that one message lists. */
async function postTogether(...numbers: readonly number[]): Promise<void> {
  const events = numbers.map(eventOf);
  const nowMs = chat().clock.now();
  await chat().store.commitPoll({
    ...{ atMs: nowMs, targets: [], verdicts: [], events },
    deliveries: events.map(({ id }) => ({
      ...{ eventId: id, sink: "chat", groupKey: "together", notBeforeMs: nowMs },
      ...{ groupWaitMs: SECOND, groupIntervalMs: 0 },
    })),
  });
}

async function acknowledge(n: number, by: string, isUndo = false): Promise<void> {
  const request = { kind: "acknowledged", what: eventOf(n).id, isUndo, by, from: "page" } as const;
  await chat().store.mark({ ...request, atMs: chat().clock.now() });
  pump?.wake();
}

describe.each(["discord", "slack"] as const)("a message of %s", (type) => {
  const standIn = () => (type === "discord" ? discord : slack);
  const shown = () => standIn().messages.map((message) => message.shown);

  it("says who acknowledged it, not any more after an undo, and then who did after that", async () => {
    await start(type);
    await chat().commit([eventOf(1)]);
    await advance(5 * SECOND);
    const before = shown();
    for (const [by, isUndo] of [
      ["Ada", false],
      ["Ada", false],
      ["Bob", true],
    ] as const) {
      await acknowledge(1, by, isUndo);
      await advance(5 * SECOND);
      if (!isUndo) expect(shown()[0]).toContain("Acknowledged by Ada at 00:12 UTC");
    }
    expect(shown()).toEqual(before);
    await acknowledge(1, "Bob");
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("Acknowledged by Bob");
    expect(shown()[0]).toContain("news 1");
    expect(standIn().edits).toHaveLength(3);
  });

  it("of several alerts says in one line who acknowledged how many", async () => {
    await start(type);
    await postTogether(1, 2, 3);
    await advance(5 * SECOND);
    const lines: readonly (readonly [number, string, string])[] = [
      [2, "Ada", "Acknowledged: 1 of 3 by Ada"],
      [1, "Ada", "Acknowledged: 2 of 3 by Ada"],
      [3, "Bob", "Acknowledged: 2 of 3 by Ada, 1 by Bob"],
    ];
    for (const [n, by, line] of lines) {
      await acknowledge(n, by);
      await advance(5 * SECOND);
      expect(shown()[0]).toContain(line);
      expect(shown()[0]).toContain(`news ${n}`);
    }
    await acknowledge(3, "Bob", true);
    await acknowledge(3, "Ada");
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("All 3 acknowledged by Ada");
    expect(shown()).toHaveLength(1);
  });

  it("that is sealed later shows it without an edit, and an undo at the last moment by one", async () => {
    await chat().commit([eventOf(1), eventOf(2)]);
    await acknowledge(1, "Ada");
    await start(type);
    await advance(10 * SECOND);
    expect(shown().filter((text) => text.includes("Acknowledged by Ada"))).toHaveLength(1);
    expect(standIn().edits).toHaveLength(0);
    await acknowledge(1, "Ada", true);
    await advance(5 * SECOND);
    expect(shown().filter((text) => text.includes("Acknowledged"))).toEqual([]);
    expect(standIn().edits).toHaveLength(1);
  });

  it("is edited once after a restart, and left alone where somebody removed it", async () => {
    await start(type);
    await chat().commit([eventOf(1), eventOf(2)]);
    await advance(10 * SECOND);
    await pump.stop(0);
    await acknowledge(1, "Ada");
    await acknowledge(2, "Ada");
    const gone = standIn().messages.find(({ shown: text }) => text.includes("news 2"));
    standIn().remove(gone?.id ?? "");
    await start(type);
    await advance(MINUTE);
    expect(standIn().edits).toHaveLength(1);
    expect(shown()[0]).toContain("Acknowledged by Ada");
    expect(await chat().store.nextFooterAt("chat")).toBeNull();
    expect(await chat().store.loadSinkHealth()).toEqual([]);
  });

  it("is tried four times where the sink takes no edits, then not before the next change", async () => {
    await start(type);
    await chat().commit([eventOf(1)]);
    await advance(5 * SECOND);
    standIn().failEdits("down");
    await acknowledge(1, "Ada");
    await advance(40 * MINUTE);
    expect(standIn().refusedEdits()).toBe(4);
    standIn().failEdits("no");
    await advance(40 * MINUTE);
    expect(standIn().edits).toHaveLength(0);
    await acknowledge(1, "Ada", true);
    await acknowledge(1, "Bob");
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("Acknowledged by Bob");
  });

  it("keeps the line when its tweet changes, and the change when the line does", async () => {
    await start(type, { update: ["deleted"] });
    await chat().commit([eventOf(1)]);
    await advance(5 * SECOND);
    await acknowledge(1, "Ada");
    await advance(5 * SECOND);
    const nowMs = chat().clock.now();
    const deliveryId = (await chat().store.findReplayable({ eventId: eventOf(1).id }))[0]
      ?.deliveryId;
    const tweet = makeTweet(ID(1), "news 1");
    await chat().store.commitPoll({
      ...{ atMs: nowMs, targets: [], verdicts: [], events: [], deliveries: [] },
      edits: [
        {
          deliveryId: deliveryId ?? "",
          shown: { tweet, isGone: true, isEdited: false },
          ...{ versions: [], wantedAtMs: nowMs, dueAtMs: nowMs },
        },
      ],
    });
    pump.wake();
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("is gone");
    expect(shown()[0]).toContain("Acknowledged by Ada");
    await acknowledge(1, "Ada", true);
    await advance(5 * SECOND);
    expect(shown()[0]).toContain("is gone");
    expect(shown()[0]).not.toContain("Acknowledged");
  });
});
