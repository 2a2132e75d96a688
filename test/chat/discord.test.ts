/** Tests clicks in Discord in the whole daemon: from the gateway to the edited message. */
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import {
  BOT_TOKEN,
  MANAGE_MESSAGES,
  startDiscordGatewayStandIn,
} from "../support/discord-gateway-stand-in.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { untilListening } from "../support/until-listening.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const ADA = { id: "1", name: "Ada", permissions: MANAGE_MESSAGES };
const EVE = { id: "2", name: "Eve" };

async function setUp(more: object = {}) {
  const discord = await startDiscordGatewayStandIn(createSystemClock());
  onTestFinished(() => discord.close());
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: {
        brand: {
          ...{ type: "discord", token: BOT_TOKEN, channel_id: "55", api_url: discord.apiUrl },
          actions: ["acknowledge"],
        },
        ops: { type: "console" },
      },
      route: { sink: "brand" },
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
      () => `${JSON.stringify(discord.messages)}\n${JSON.stringify(logged.slice(-8))}`,
    );
  await untilListening(daemon);
  await clock.advance(5 * MINUTE);
  await control("tweets", { username: "one", text: "news" });
  await clock.advance(2 * MINUTE);
  const id = discord.messages[0]?.id ?? "";
  const shown = () => discord.messages[0]?.shown ?? "";
  const click = (person: typeof EVE, verb: string, clickId?: string) =>
    discord.click({
      person,
      customId: discord.buttons(id)[verb] ?? "",
      ...(clickId === undefined ? {} : { id: clickId }),
    });
  return { ...daemon, discord, comes, click, id, shown };
}

it("acknowledges for a person who may manage messages in Discord, says so in the message, and undoes it", async () => {
  const { discord, comes, click, id, shown } = await setUp();
  expect(Object.keys(discord.buttons(id))).toEqual(["acknowledge"]);
  expect(await click(EVE, "acknowledge")).toBe("deferred");
  await comes("a refusal", () => discord.said.length > 0);
  expect(discord.said).toEqual([
    "Only people who may manage messages in this channel can acknowledge alerts here.",
  ]);
  expect(await click(ADA, "acknowledge")).toBe("deferred");
  await comes("the line", () => shown().includes("Acknowledged by Ada at"));
  expect(Object.keys(discord.buttons(id))).toEqual(["undo"]);
  await click(ADA, "undo");
  await comes("no line", () => !shown().includes("Acknowledged"));
  expect(Object.keys(discord.buttons(id))).toEqual(["acknowledge"]);
  expect(discord.said).toHaveLength(1);
});

it("resumes after a lost socket, and puts into effect what was clicked meanwhile", async () => {
  const { discord, comes, click, shown } = await setUp();
  discord.drop();
  void click(ADA, "acknowledge");
  await comes("the line", () => shown().includes("Acknowledged by Ada at"));
  expect(discord.counts).toMatchObject({ identified: 1, resumed: 1 });
  discord.askToReconnect();
  await comes("another socket", () => discord.counts.resumed === 2);
  discord.invalidate();
  await comes("another session", () => discord.counts.identified === 2);
  discord.babble('{"op":10}');
  await comes("another socket after nonsense", () => discord.counts.resumed === 3);
});
