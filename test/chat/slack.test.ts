/** Clicks in Slack in the whole daemon: from the socket to the edited message. */
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";
import { until } from "../support/until.ts";
import {
  APP_TOKEN,
  type SlackSocketStandIn,
  startSlackSocketStandIn,
} from "../support/slack-socket-stand-in.ts";

const MINUTE = 60_000;
const ADA = { id: "U1", name: "Ada" };

async function setUp(
  more: object = {},
): Promise<InnerDaemon & { readonly slack: SlackSocketStandIn }> {
  const slack = await startSlackSocketStandIn(createSystemClock());
  onTestFinished(() => slack.close());
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: {
        brand: {
          ...{ type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl },
          actions: ["acknowledge"],
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

it("acknowledges an alert, says so in its message, and undoes it", async () => {
  const { clock, control, slack, logged } = await setUp();
  await clock.advance(5 * MINUTE);
  await control("tweets", { username: "one", text: "news" });
  await clock.advance(2 * MINUTE);
  const [message] = slack.messages;
  const ts = message?.id ?? "";
  const shown = () => slack.messages[0]?.shown ?? "";
  const comes = (text: string) =>
    until(
      text,
      async () => (await clock.advance(20), shown().includes(text)),
      () => `${shown()}\n${JSON.stringify(logged.slice(-6))}`,
    );
  const click = (person: typeof ADA, verb: string) =>
    slack.click({ person, ts, actionId: slack.buttons(ts)[verb] ?? "" });
  expect(Object.keys(slack.buttons(ts))).toEqual(["acknowledge"]);
  expect(slack.sockets()).toBe(1);
  expect(await click(ADA, "acknowledge")).toBe("acknowledged");
  await comes("Acknowledged by Ada at");
  expect(Object.keys(slack.buttons(ts))).toEqual(["undo"]);
});
