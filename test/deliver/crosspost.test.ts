/**
 * Crossposts through the real store and the real Discord sink, to a stand-in that publishes ten
 * messages an hour.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { Pump } from "../../src/deliver/pump.ts";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { startDiscordStandIn } from "../support/discord-stand-in.ts";
import { makeEvent } from "../support/make-event.ts";
import { useRealChat } from "./real-chat.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

const chat = useRealChat({ chat: true }, Date.UTC(2026, 0, 15, 0, 12));
let discord: Awaited<ReturnType<typeof startDiscordStandIn>>;
beforeEach(async () => {
  discord = chat().keep(await startDiscordStandIn(chat().clock));
});

const startPump = (): Promise<Pump> =>
  chat().startPump(discordSink, {
    token: "t",
    channel_id: "55",
    api_url: discord.apiUrl,
    crosspost: true,
    style: "embed",
  });

const post = (...subjects: readonly string[]): Promise<void> =>
  chat().commit(
    subjects.map((subject) => makeEvent(subject, { detectedAtMs: chat().clock.now() })),
  );

const advance = (ms: number): Promise<void> => chat().clock.advance(ms);

/** Subjects in the order in which their messages were published. */
const published = () =>
  discord.crossposts.map(
    ({ id }) =>
      /\/status\/(\d+)/.exec(
        discord.messages.find((message) => message.id === id)?.shown ?? "",
      )?.[1] ?? "",
  );

const crosspostOf = async (subject: string) => {
  const { events } = await chat().store.findEvents({ limit: 1_000 });
  const found = events.find(({ event }) => event.subject === subject);
  return found?.deliveries.find(({ sink }) => sink === "chat crosspost");
};

describe("a crosspost", () => {
  it("is made for every message, right after it", async () => {
    await startPump();
    await post("1", "2");
    await advance(5 * SECOND);
    expect(published().sort()).toEqual(["1", "2"]);
    expect(await crosspostOf("1")).toMatchObject({ state: "published", attempts: 1 });
  });

  it("that Discord answers with 429 is made when Discord said, and holds up no message", async () => {
    await startPump();
    for (let minute = 0; minute < 12; minute += 1) {
      await post(String(minute));
      await advance(MINUTE);
    }
    expect(discord.messages).toHaveLength(12);
    expect(published()).toHaveLength(10);
    expect(await crosspostOf("10")).toMatchObject({ state: "waiting" });
    const refusals = discord.refusals.length;
    await advance(47 * MINUTE);
    expect(discord.refusals).toHaveLength(refusals);
    await advance(3 * MINUTE);
    expect(published().slice(10).sort()).toEqual(["10", "11"]);
  });

  it("beyond the hourly allowance is made of the newest message first, and of none older than an hour", async () => {
    await startPump();
    for (let minute = 0; minute < 90; minute += 2) {
      await post(String(minute));
      await advance(2 * MINUTE);
    }
    await advance(10 * MINUTE);
    const [later] = [published().slice(10)];
    expect(later.slice(0, 2)).toEqual(["58", "60"]);
    expect(await crosspostOf("30")).toMatchObject({
      state: "not_published",
      detail: "the channel's hourly allowance went to newer messages",
    });
    expect(await crosspostOf("4")).toMatchObject({ state: "published" });
    expect(discord.messages).toHaveLength(45);
  });

  it("that is not made is reported to ops in one line a day", async () => {
    discord.refuseCrossposts(403, 50_013);
    await startPump();
    await post("1", "2", "3");
    await advance(HOUR);
    expect(chat().reports).toMatchObject([{ sink: "chat", count: 1 }]);
    await post("4");
    await advance(22 * HOUR);
    expect(chat().reports).toHaveLength(1);
    await advance(2 * HOUR);
    expect(chat().reports.slice(1)).toMatchObject([
      { sink: "chat", count: 3, reason: expect.stringContaining("403") as string },
    ]);
    await advance(25 * HOUR);
    expect(chat().reports).toHaveLength(2);
  });

  it("goes on after a restart, and is made once", async () => {
    const first = await startPump();
    await post(...Array.from({ length: 12 }, (_, i) => String(i)));
    await advance(5 * SECOND);
    await first.stop(0);
    await startPump();
    await advance(70 * MINUTE);
    expect(published().length).toBe(new Set(published()).size);
    expect(published().length).toBeGreaterThanOrEqual(10);
  });

  it("that Discord refuses for good is not tried again", async () => {
    discord.refuseCrossposts(403, 50_013);
    await startPump();
    await post("1");
    await advance(2 * HOUR);
    expect(await crosspostOf("1")).toMatchObject({
      state: "not_published",
      attempts: 1,
      detail: expect.stringContaining("403") as string,
    });
    expect(chat().reports).toMatchObject([
      { sink: "chat", count: 1, reason: expect.stringContaining("403") as string },
    ]);
  });

  it("of a message that was published before counts as made", async () => {
    discord.refuseCrossposts(400, 40_033);
    await startPump();
    await post("1");
    await advance(MINUTE);
    expect(await crosspostOf("1")).toMatchObject({ state: "published" });
  });

  it("that fails for reasons that may pass is tried again", async () => {
    discord.refuseCrossposts(503, 0);
    await startPump();
    await post("1");
    await advance(10 * SECOND);
    discord.refuseCrossposts(undefined);
    await advance(30 * SECOND);
    expect(published()).toEqual(["1"]);
    expect((await crosspostOf("1"))?.attempts).toBeGreaterThan(2);
  });
});
