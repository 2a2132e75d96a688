/**
 * Tests what a menu below a message offers and what the buttons of an escalation do, in the whole
 * daemon with Slack and with Discord.
 */
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { BOT_TOKEN, startDiscordGatewayStandIn } from "../support/discord-gateway-stand-in.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { APP_TOKEN, startSlackSocketStandIn } from "../support/slack-socket-stand-in.ts";
import { untilListening } from "../support/until-listening.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADA = { slack: { id: "U1", name: "Ada" }, discord: { id: "1", name: "Ada" } };
const WHO = ["slack:user:U1", "discord:user:1"];
const ALLOW = { acknowledge: WHO, snooze: WHO, silence: WHO, not_relevant: WHO };
const ACTIONS = ["acknowledge", "snooze", "mute_author", "not_relevant"];

/** A chat of either vendor, as far as these tests see it. */
interface Chat {
  readonly sink: object;
  readonly messages: readonly { readonly id: string; readonly shown: string }[];
  readonly said: readonly string[];
  buttons(id: string): Readonly<Record<string, string>>;
  click(id: string, verb: string, choice?: string): Promise<unknown>;
  /** Clicks a button of a message that somebody else posted. */
  clickElsewhere(buttonId: string): Promise<unknown>;
}

async function slackChat(): Promise<Chat> {
  const slack = await startSlackSocketStandIn(createSystemClock());
  onTestFinished(() => slack.close());
  const choose = (choice?: string) => (choice === undefined ? {} : { choice });
  return {
    ...slack,
    sink: { type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl },
    click: (ts, verb, choice) =>
      slack.click({
        ...{ person: ADA.slack, ts, actionId: slack.buttons(ts)[verb] ?? "" },
        ...choose(choice),
      }),
    clickElsewhere: (actionId) => slack.click({ person: ADA.slack, ts: "1.1", actionId }),
  };
}

async function discordChat(): Promise<Chat> {
  const discord = await startDiscordGatewayStandIn(createSystemClock());
  onTestFinished(() => discord.close());
  const choose = (choice?: string) => (choice === undefined ? {} : { choice });
  return {
    ...discord,
    sink: { type: "discord", token: BOT_TOKEN, channel_id: "55", api_url: discord.apiUrl },
    click: (id, verb, choice) =>
      discord.click({
        person: ADA.discord,
        customId: discord.buttons(id)[verb] ?? "",
        ...choose(choice),
      }),
    clickElsewhere: (customId) => discord.click({ person: ADA.discord, customId }),
  };
}

async function setUp(makeChat: () => Promise<Chat>, more: object) {
  const chat = await makeChat();
  const { type } = chat.sink as { readonly type: string };
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: {
        brand: { ...chat.sink, actions: ACTIONS, timezone: "Europe/Berlin" },
        ops: { type: "console" },
      },
      route: { sink: "brand" },
      chat: { allow: ALLOW, ...(type === "slack" ? { slack: { app_token: APP_TOKEN } } : {}) },
      ...more,
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  const { clock, control, logged } = daemon;
  const comes = (what: string, ask: () => unknown) =>
    until(
      what,
      async () => {
        await clock.advance(20);
        return ask();
      },
      () => `${JSON.stringify(chat.messages)}\n${JSON.stringify(logged.slice(-8))}`,
    );
  await untilListening(daemon);
  await clock.advance(5 * MINUTE);
  await control("tweets", { username: "one", text: "news" });
  await clock.advance(2 * MINUTE);
  return { ...daemon, chat, comes };
}

const VENDORS = [
  ["Slack", slackChat],
  ["Discord", discordChat],
] as const;

it.each(VENDORS)(
  "%s: a snooze lasts as long as was chosen, in the time of the sink",
  async (_, chatOf) => {
    const { chat, comes, call, clock } = await setUp(chatOf, {});
    const id = chat.messages[0]?.id ?? "";
    expect(chat.messages[0]?.shown ?? "").toMatch(/1h.*4h.*tomorrow.*1w/s);
    // The clock shows Friday the sixth, and Berlin is one hour ahead.
    const tomorrowMs = Date.UTC(2026, 2, 7, 8) - clock.now();
    const lengths = { "1h": HOUR, "4h": 4 * HOUR, tomorrow: tomorrowMs, "1w": 168 * HOUR };
    let answers = 0;
    for (const [choice, ms] of Object.entries(lengths)) {
      const clickedAtMs = clock.now();
      await chat.click(id, "snooze", choice);
      answers += 1;
      await comes("a private answer", () => chat.said.length === answers);
      const [{ ends_at: endsAt }] = (await call("silences")).silences;
      const endMs = choice === "tomorrow" ? Date.UTC(2026, 2, 7, 8) : clickedAtMs + ms;
      expect(Math.abs(Date.parse(endsAt) - endMs)).toBeLessThan(MINUTE);
    }
    expect(chat.said[2]).toMatch(/^Snoozed here until 2026-03-07 09:00\. /);
    await chat.click(id, "snooze", "99y");
    await comes("a refusal", () => chat.said.length === 5);
    expect(chat.said[4]).toBe("The configuration does not offer this button any more.");
  },
);

it.each(VENDORS)(
  "%s: the buttons of an escalation act on the alert, which both show",
  async (_, chatOf) => {
    const escalate = [{ after: "15m", sink: "brand" }];
    const { chat, comes, call, clock } = await setUp(chatOf, { route: { sink: "ops", escalate } });
    expect(chat.messages).toEqual([]);
    await clock.advance(15 * MINUTE);
    await comes("the escalation", () => chat.messages.length === 1);
    const [{ id, shown: first } = { id: "", shown: "" }] = chat.messages;
    const shown = () => chat.messages[0]?.shown ?? "";
    expect(first).toContain("Not acknowledged for 15 minutes");
    expect(Object.keys(chat.buttons(id)).toSorted()).toEqual(ACTIONS.toSorted());
    const acknowledged = async (is: string) =>
      (await call(`events?acknowledged=${is}`)).events.map(({ type }: { type: string }) => type);
    await chat.click(id, "acknowledge");
    await comes("the line", () => shown().includes("Acknowledged by Ada at"));
    expect(await acknowledged("yes")).toEqual(["alert.escalated", "tweet.created"]);
    await chat.click(id, "undo");
    await comes("no line", () => !shown().includes("Acknowledged by"));
    expect(await acknowledged("yes")).toEqual([]);
    // A person who acknowledges the alert itself is also named below the escalation.
    const alert = (await call("events?alerts=true")).events[0].data.id;
    await call(`alerts/${alert}/acknowledgement?by=Bob`, "POST");
    await comes("Bob's line", () => shown().includes("Acknowledged by Bob at"));
    await chat.click(id, "not_relevant");
    await chat.click(id, "snooze", "1h");
    await comes("two answers", () => chat.said.length === 2);
    expect(chat.said.toSorted()).toEqual([
      "Marked as not relevant.",
      expect.stringMatching(/^Snoozed at ops until /),
    ]);
    expect((await call("silences")).silences).toMatchObject([{ kind: "snooze", sinks: ["ops"] }]);
    const notRelevant = (await call("events?not-relevant=yes")).events;
    expect(notRelevant.map((event: { type: string }) => event.type)).toEqual(["tweet.created"]);
  },
);

it.each(VENDORS)(
  "%s: a click on a message that the state does not know is answered in private and logged",
  async (_, chatOf) => {
    const { chat, comes, logged } = await setUp(chatOf, {});
    await chat.clickElsewhere("chirpwatch:acknowledge:0B1_Lkt6GtooE69QYIuJwt");
    await comes("a private answer", () => chat.said.length === 1);
    expect(chat.said[0]).toMatch(/^This alert is not in the state of chirpwatch any more/);
    expect(logged).toContainEqual({
      ...{ level: "info", message: "a click was answered in private" },
      fields: expect.objectContaining({ button: "acknowledge", text: chat.said[0] }),
    });
  },
);
