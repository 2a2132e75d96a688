/** Tests clicks in Slack in the whole daemon: from the socket to the edited message. */
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";
import { untilListening } from "../support/until-listening.ts";
import { until } from "../support/until.ts";
import {
  APP_TOKEN,
  type SlackSocketStandIn,
  startSlackSocketStandIn,
} from "../support/slack-socket-stand-in.ts";

const MINUTE = 60_000;
const ADA = { id: "U1", name: "Ada" };
const BOB = { id: "U2", name: "Bob" };

async function setUp(
  more: object = {},
  actions: readonly string[] = ["acknowledge"],
): Promise<InnerDaemon & { readonly slack: SlackSocketStandIn }> {
  const slack = await startSlackSocketStandIn(createSystemClock());
  onTestFinished(() => slack.close());
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: {
        brand: {
          ...{ type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl },
          actions,
        },
        ops: { type: "console" },
      },
      route: { sink: "brand" },
      chat: { slack: { app_token: APP_TOKEN } },
      ...more,
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  return { ...daemon, slack };
}

async function withAlert(more: object = {}, actions?: readonly string[]) {
  const daemon = await setUp(more, actions);
  const { clock, control, slack, logged } = daemon;
  const shown = () => slack.messages[0]?.shown ?? "";
  const comes = (what: string, ask: () => unknown) =>
    until(
      what,
      async () => {
        await clock.advance(20);
        return ask();
      },
      () => `${shown()}\n${JSON.stringify(logged.slice(-6))}`,
    );
  await untilListening(daemon);
  await clock.advance(5 * MINUTE);
  await control("tweets", { username: "one", text: "news <@U1> chirpwatch:acknowledge:x" });
  await clock.advance(2 * MINUTE);
  const ts = slack.messages[0]?.id ?? "";
  const click = (person: typeof ADA, verb: string, actionTs?: string) =>
    slack.click({
      ...{ person, ts, actionId: slack.buttons(ts)[verb] ?? `chirpwatch:${verb}:gone` },
      ...(actionTs === undefined ? {} : { actionTs }),
    });
  return { ...daemon, ts, shown, comes, click };
}

it("acknowledges an alert, says so in its message, and undoes it, each click once", async () => {
  const { slack, shown, comes, click, ts, call } = await withAlert();
  expect(Object.keys(slack.buttons(ts))).toEqual(["acknowledge"]);
  expect(await click(ADA, "acknowledge", "1.1")).toBe("acknowledged");
  await comes("the line", () => shown().includes("Acknowledged by Ada at"));
  expect(Object.keys(slack.buttons(ts))).toEqual(["undo"]);
  expect(await click(BOB, "undo", "2.2")).toBe("acknowledged");
  await comes("no line", () => !shown().includes("Acknowledged by"));
  const actionId = slack.buttons(ts)["acknowledge"] ?? "";
  slack.drop();
  await comes("another socket", () => slack.opened() === 2 && slack.sockets() === 1);
  // The first click is delivered again after it was undone, and changes nothing.
  expect(await slack.click({ person: ADA, ts, actionId, actionTs: "1.1" })).toBe("acknowledged");
  expect(await slack.click({ person: BOB, ts, actionId, actionTs: "3.3" })).toBe("acknowledged");
  await comes("Bob's line", () => shown().includes("Acknowledged by Bob at"));
  expect(slack.said).toEqual([]);
  expect((await call("events?acknowledged=yes")).events).toMatchObject([
    { acknowledged: { by: "Bob", from: "Slack" } },
  ]);
  expect(await slack.click({ person: ADA, ts, actionId })).toBe("acknowledged");
  expect(await click(ADA, "snooze")).toBe("acknowledged");
  await comes("private answers", () => slack.said.length === 2);
  expect(slack.said.toSorted()).toEqual([
    "Bob has already acknowledged this.",
    expect.stringContaining("not in the state of chirpwatch any more"),
  ]);
});

it("snoozes, mutes an author and marks as not relevant, each click once, and says so in private", async () => {
  const person = "slack:user:U1";
  const allow = { snooze: [person], silence: [person], not_relevant: [person] };
  const { slack, comes, click, ts, call } = await withAlert(
    // Both sinks have the alert. The buttons hold it back only at the sink where they are.
    { chat: { slack: { app_token: APP_TOKEN }, allow }, route: { sink: ["brand", "ops"] } },
    ["snooze", "mute_author", "not_relevant"],
  );
  expect(Object.keys(slack.buttons(ts))).toEqual(["snooze", "mute_author", "not_relevant"]);
  await click(BOB, "snooze", "1.1");
  for (const [at, verb] of ["snooze", "mute_author", "not_relevant"].entries()) {
    await click(ADA, verb, `2.${at}`);
    await click(ADA, verb, `2.${at}`);
  }
  await comes("private answers", () => slack.said.length >= 4);
  expect(slack.said.filter((text) => text.startsWith("Snoozed here until "))).toHaveLength(1);
  expect(slack.said.filter((text) => text.startsWith("The author is muted here"))).toHaveLength(1);
  expect(slack.said.filter((text) => text === "Marked as not relevant.")).toHaveLength(1);
  const { silences } = await call("silences");
  expect(silences).toMatchObject([
    { kind: "snooze", sinks: ["brand"], author: "Ada" },
    { kind: "silence", sinks: ["brand"], author: "Ada" },
  ]);
  expect((await call("events?not-relevant=yes")).events).toHaveLength(1);
});

it("survives recycled sockets, nonsense and refusals, which degrade the status until they end", async () => {
  const { slack, comes, status, opsAlerts, clock } = await withAlert();
  slack.recycle("warning");
  await comes("another socket", () => slack.opened() === 2 && slack.sockets() === 1);
  slack.babble('{"type":"events_api"}');
  slack.babble("nonsense");
  await comes("a third socket", () => slack.opened() === 3 && slack.sockets() === 1);
  slack.refuse("socket_mode_not_enabled");
  slack.drop();
  const trouble =
    "Clicks below messages in Slack are not received: Slack answered socket_mode_not_enabled";
  await until("a degraded status", async () => {
    await clock.advance(500);
    return (await status()).reasons.includes(trouble);
  });
  slack.refuse(undefined);
  await until("a good status", async () => {
    await clock.advance(10_000);
    return (await status()).state === "running";
  });
  expect(opsAlerts()).toEqual([]);
});
