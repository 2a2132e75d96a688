/**
 * Tests what vendors do with sockets, through their own clients. The daemon survives each case,
 * goes on sending alerts, shows lasting trouble in the status, and handles clicks again once it is
 * over.
 */
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import {
  BOT_TOKEN,
  MANAGE_MESSAGES,
  startDiscordGatewayStandIn,
} from "../support/discord-gateway-stand-in.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import {
  APP_TOKEN,
  type SlackSocketStandIn,
  startSlackSocketStandIn,
} from "../support/slack-socket-stand-in.ts";
import { untilListening } from "../support/until-listening.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const ADA = { id: "1", name: "Ada", permissions: MANAGE_MESSAGES };
const BASE = { actions: ["acknowledge"], throttle: false };

/** Starts a daemon. Returns a way to read the status about clicks, and one to wait for a change. */
async function start(sink: object, more: object = {}) {
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: { brand: { ...BASE, ...sink }, ops: { type: "console" } },
      route: { sink: "brand" },
      ...more,
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  const { clock, control, status, logged } = daemon;
  const comes = (what: string, ask: () => unknown, stepMs = 200) =>
    until(
      what,
      async () => {
        await clock.advance(stepMs);
        return ask();
      },
      () => JSON.stringify(logged.slice(-8)),
    );
  const trouble = async () =>
    (await status()).reasons.find((reason) => reason.startsWith("Clicks below messages"));
  await untilListening(daemon);
  await clock.advance(5 * MINUTE);
  let posted = 0;
  /** Posts one more alert and waits for it. Alerts must arrive whatever happens to clicks. */
  const alert = async (messages: readonly unknown[]) => {
    const before = messages.length;
    posted += 1;
    await control("tweets", { username: "one", text: `news ${posted}` });
    await comes("an alert", () => messages.length > before, 5_000);
  };
  return { ...daemon, comes, trouble, alert };
}

async function startSlack() {
  const slack = await startSlackSocketStandIn(createSystemClock());
  onTestFinished(() => slack.close());
  const sink = { type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl };
  const daemon = await start(sink, { chat: { slack: { app_token: APP_TOKEN } } });
  await daemon.alert(slack.messages);
  return { ...daemon, slack, takesClicks: () => takesClicks(slack, daemon.comes) };
}

/** Acknowledges the first alert, and undoes it. */
async function takesClicks(
  slack: SlackSocketStandIn,
  comes: (what: string, ask: () => unknown, stepMs?: number) => Promise<unknown>,
) {
  const ts = slack.messages[0]?.id ?? "";
  const shown = () => slack.messages[0]?.shown.includes("Acknowledged by Ada") === true;
  const click = async (verb: string) => {
    const actionId = slack.buttons(ts)[verb] ?? "";
    return actionId !== "" && (await slack.click({ person: ADA, ts, actionId })) === "acknowledged";
  };
  await comes("a click that is taken", () => click("acknowledge"));
  await comes("the line", shown, 1_000);
  await comes("an undo that is taken", () => click("undo"));
  await comes("no line", () => !shown(), 1_000);
}

it.each(["silent", "slams", "fickle", "limits", "refuses"] as const)(
  "says in the status that Slack treats sockets so: %s, and takes clicks again afterwards",
  async (manner) => {
    const { slack, comes, trouble, alert, takesClicks: takes } = await startSlack();
    expect(await trouble()).toBeUndefined();
    slack.behave(manner);
    slack.drop();
    await comes("a degraded status", trouble, 5_000);
    await alert(slack.messages);
    slack.behave("well");
    await comes("a good status", async () => (await trouble()) === undefined, 5_000);
    await takes();
    expect(slack.sockets()).toBe(1);
  },
);

it.each([
  "too_many_websockets",
  "invalid_auth",
  "missing_scope",
  "socket_mode_not_enabled",
  "internal_error",
])("says in the status that Slack refuses sockets with %s, until it does not", async (error) => {
  const { slack, comes, trouble, alert, takesClicks: takes } = await startSlack();
  slack.refuse(error);
  slack.drop();
  await comes("a degraded status", trouble, 5_000);
  expect(await trouble()).toContain(`Slack answered ${error}`);
  await alert(slack.messages);
  slack.refuse(undefined);
  await comes("a good status", async () => (await trouble()) === undefined, 30_000);
  await takes();
});

it.each(["warning", "refresh_requested", "too_many_websockets", "link_disabled"] as const)(
  "opens another socket when Slack asks to disconnect: %s",
  async (reason) => {
    const { slack, comes, takesClicks: takes } = await startSlack();
    const opened = slack.opened();
    slack.recycle(reason);
    await comes("another socket", () => slack.opened() > opened && slack.sockets() === 1);
    await takes();
  },
);

it("takes a click once that Slack delivers again after three seconds, as its answer was lost", async () => {
  const { slack, comes, call, clock } = await startSlack();
  const ts = slack.messages[0]?.id ?? "";
  const actionId = slack.buttons(ts)["acknowledge"] ?? "";
  const isAcknowledged = async () => (await call("events?acknowledged=yes")).events.length === 1;
  slack.redeliverBy(clock);
  slack.ignoreAnswers(1);
  const first = slack.click({ person: ADA, ts, actionId, actionTs: "1.1" });
  await comes("the effect", isAcknowledged, 20);
  const undo = actionId.replace("acknowledge", "undo");
  expect(await slack.click({ person: ADA, ts, actionId: undo })).toBe("acknowledged");
  await comes("the undo", async () => !(await isAcknowledged()), 20);
  expect(slack.redelivered()).toBe(0);
  await comes("the second delivery", () => slack.redelivered() === 1);
  expect(await first).toBe("acknowledged");
  await clock.advance(MINUTE);
  expect(slack.redelivered()).toBe(1);
  expect(await isAcknowledged()).toBe(false);
  // A click made while no socket is open arrives with the next delivery.
  slack.drop();
  void slack.click({ person: ADA, ts, actionId, actionTs: "2.2" });
  await comes("the effect of a click without a socket", isAcknowledged);
});

async function startDiscord(heartbeatMs?: number) {
  const discord = await startDiscordGatewayStandIn(createSystemClock(), heartbeatMs);
  onTestFinished(() => discord.close());
  const sink = { type: "discord", token: BOT_TOKEN, channel_id: "55", api_url: discord.apiUrl };
  const daemon = await start(sink);
  const { comes } = daemon;
  await daemon.alert(discord.messages);
  const takes = async () => {
    const id = discord.messages[0]?.id ?? "";
    const shown = () => discord.messages[0]?.shown.includes("Acknowledged by Ada") === true;
    for (const verb of ["acknowledge", "undo"]) {
      const customId = discord.buttons(id)[verb] ?? "";
      const clickId = String(7_000 + discord.edits.length);
      await comes(
        `the effect of ${verb}`,
        async () => {
          void discord.click({ person: ADA, customId, id: clickId });
          return shown() === (verb === "acknowledge");
        },
        2_000,
      );
    }
  };
  return { ...daemon, discord, takes };
}

it.each([4_000, 4_007, 4_009] as const)(
  "opens another socket after Discord closed one with %i",
  async (code) => {
    const { discord, comes, takes } = await startDiscord();
    const { identified, resumed } = { ...discord.counts };
    discord.closeWith(code);
    await comes(
      "another socket",
      () => discord.counts.identified + discord.counts.resumed > identified + resumed,
    );
    await takes();
  },
);

it.each([4_004, 4_011, 4_013, 4_014] as const)(
  "says in the status that Discord refuses sessions with %i, until it does not",
  async (code) => {
    const { discord, comes, trouble, alert, takes } = await startDiscord();
    discord.closeSessionsWith(code);
    discord.invalidate();
    await comes("a degraded status", trouble, 5_000);
    expect(await trouble()).toContain(String(code));
    await alert(discord.messages);
    discord.closeSessionsWith(undefined);
    await comes("a good status", async () => (await trouble()) === undefined, 30_000);
    await takes();
  },
);

it("resumes a session that Discord calls invalid and resumable, and answers when it asks for a heartbeat", async () => {
  const { discord, comes, takes } = await startDiscord();
  const { beats } = discord.counts;
  discord.askForBeat();
  await comes("a heartbeat", () => discord.counts.beats > beats);
  discord.invalidate(true);
  await comes("a resumed session", () => discord.counts.resumed === 1);
  expect(discord.counts.identified).toBe(1);
  await takes();
});

it("opens another socket when Discord answers no heartbeats", async () => {
  const { discord, comes, takes } = await startDiscord(300);
  await comes("a heartbeat", () => discord.counts.beats > 0);
  discord.beDeaf(true);
  await comes("a resumed session", () => discord.counts.resumed > 0);
  discord.beDeaf(false);
  await takes();
});

it.each(["refuses sockets", "takes no sessions so soon after others"] as const)(
  "says in the status that Discord %s, and takes clicks again afterwards",
  async (manner) => {
    const { discord, comes, trouble, alert, takes } = await startDiscord();
    const refuse = manner === "refuses sockets" ? discord.refuseSockets : discord.limitIdentify;
    const { identified } = discord.counts;
    refuse(true);
    discord.invalidate();
    await comes("a degraded status", trouble, 5_000);
    await alert(discord.messages);
    refuse(false);
    await comes("a good status", async () => (await trouble()) === undefined, 5_000);
    expect(discord.counts.identified).toBe(identified + 1);
    await takes();
  },
);

it.each(["hello", "session"] as const)(
  "gives up a socket on which Discord says nothing instead of a %s, and opens the next one",
  async (missing) => {
    const { discord, clock, comes, logged, takes } = await startDiscord();
    const silence = missing === "hello" ? discord.beSilent : discord.startNoSessions;
    const has = (reason: string) =>
      logged.some(({ fields }) => (fields as { reason?: string }).reason === reason);
    silence(true);
    discord.invalidate();
    await comes("a socket that stays silent", () => discord.silences() === 1, 20);
    await clock.advance(30_000);
    await comes("its end", () => has("no connection within 30 s"));
    silence(false);
    await takes();
  },
);

it("says in the status that Discord names no gateway, or lets no session begin", async () => {
  const { discord, comes, trouble, alert, takes } = await startDiscord();
  discord.limitGateway(true);
  discord.drop();
  await comes("a degraded status", trouble, 5_000);
  await alert(discord.messages);
  discord.limitGateway(false);
  await comes("a good status", async () => (await trouble()) === undefined, 30_000);
  discord.setRemaining(0);
  discord.invalidate();
  await comes("a degraded status", trouble, 5_000);
  expect(await trouble()).toContain("too many sessions today");
  discord.setRemaining(100);
  await comes("a good status", async () => (await trouble()) === undefined, 60_000);
  await takes();
});

it("puts nothing into effect whose click could not be answered, so that the person can click again", async () => {
  const { discord, comes, takes, logged } = await startDiscord();
  discord.refuseInteractions(true);
  const customId = discord.buttons(discord.messages[0]?.id ?? "")["acknowledge"] ?? "";
  void discord.click({ person: ADA, customId });
  await comes("a click that could not be answered", () =>
    logged.some(({ message }) => message === "a click could not be answered"),
  );
  await comes("nothing", () => true, 30_000);
  expect(discord.messages[0]?.shown).not.toContain("Acknowledged by");
  expect(discord.said).toEqual([]);
  discord.refuseInteractions(false);
  await takes();
});
