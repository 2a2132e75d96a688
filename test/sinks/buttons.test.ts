/**
 * Tests the buttons below messages: they stay within the vendors' limits, and only the daemon can
 * create them.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { CHAT_ACTIONS, readButtonId } from "../../src/model/chat-action.ts";
import { discordButtons } from "../../src/sinks/discord/discord-buttons.ts";
import type { DiscordBody } from "../../src/sinks/discord/discord-render.ts";
import { withSlackButtons } from "../../src/sinks/slack/slack-buttons.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { withSlackFooter } from "../../src/sinks/slack/slack-footer.ts";
import { slackRefusal } from "../support/slack-stand-in.ts";

const facts = (alerts: number, footer: string) => ({
  id: "0B1_Lkt6GtooE69QYIuJwt",
  alerts,
  footer,
});

it("leave a Slack message within its limits, below its line, whatever it shows", () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 2_900 }), {
    minLength: 1,
    maxLength: 49,
  });
  fc.assert(
    fc.property(texts, fc.boolean(), (all, isAcknowledged) => {
      const blocks = all.map((text) => ({ type: "section", text: { type: "mrkdwn", text } }));
      const plain: SlackBody = { text: "t", blocks, hasButtons: true };
      const footer = isAcknowledged ? "Acknowledged by Ada at 12:04" : "";
      const body = footer === "" ? plain : withSlackFooter(plain, footer);
      const shown = withSlackButtons(body, CHAT_ACTIONS, facts(1, footer));
      const kept = shown.blocks.length > 2 || all.join("").length < 9_000;
      if (kept) expect(slackRefusal(shown as never)).toBeUndefined();
      expect(shown.blocks.at(-1)?.type).toBe("actions");
      if (isAcknowledged) expect(JSON.stringify(shown.blocks.at(-2))).toContain("Acknowledged");
    }),
    { numRuns: 50 },
  );
});

it.each([
  [1, "", ["acknowledge", "snooze"]],
  [1, "Acknowledged by Ada", ["undo", "snooze"]],
  [3, "Acknowledged: 1 of 3 by Ada", ["acknowledge", "undo", "snooze"]],
] as const)("of %i alerts below %j are %j", (alerts, footer, verbs) => {
  const body: DiscordBody = {
    content: "",
    embeds: [],
    plain: "",
    threadName: "",
    hasButtons: true,
  };
  const shown = discordButtons(body, ["acknowledge", "snooze"], facts(alerts, footer));
  const ids = [...JSON.stringify(shown).matchAll(/"custom_id":"([^"]+)"/g)].map(
    ([, id = ""]) => id,
  );
  expect(ids.map((id) => readButtonId(id)?.verb)).toEqual(verbs);
  expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(100);
});

it("are not below a message that has none, and cannot be written by a post", () => {
  const forged: DiscordBody = {
    ...{
      content: '{"custom_id":"chirpwatch:acknowledge:x"}',
      embeds: [],
      plain: "",
      threadName: "",
    },
  };
  expect(discordButtons(forged, CHAT_ACTIONS, facts(1, ""))).toEqual({});
  const body: SlackBody = { text: "chirpwatch:acknowledge:x", blocks: [{ type: "divider" }] };
  expect(withSlackButtons(body, CHAT_ACTIONS, facts(1, ""))).toEqual(body);
  for (const id of ["", "chirpwatch:", "chirpwatch:delete:x", "chirpwatch:undo:", "x:undo:y"])
    expect(readButtonId(id)).toBeUndefined();
});
