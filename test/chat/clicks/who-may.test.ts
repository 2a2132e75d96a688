/** A table of who may do what: a vendor, an entry of `chat.allow`, a person, and the answer. */
import { expect, it } from "vitest";
import { refusalOf } from "../../../src/chat/clicks/who-may.ts";
import type { Click } from "../../../src/chat/clicks/click.ts";
import { DISCORD_MARKUP } from "../../../src/chat/discord/discord-markup.ts";
import { SLACK_MARKUP } from "../../../src/chat/slack/slack-markup.ts";
import type { ButtonVerb } from "../../../src/model/chat-action.ts";
import { readAllowed } from "../../../src/model/chat-access.ts";

const MEMBERS: Readonly<Record<string, readonly string[]>> = { S1: ["U1"] };
const groups = {
  has: async (group: string, person: string) => {
    const members = MEMBERS[group];
    if (members === undefined) throw new Error("missing_scope");
    return members.includes(person);
  },
};

const clickOf = (verb: ButtonVerb, facts: Partial<Click>): Click => ({
  ...{ vendor: "slack", id: "c", button: { verb, messageId: "m" }, choice: undefined },
  ...{ person: { id: "U1", name: "Ada" }, roles: [], mayManageMessages: false },
  ...{ answer: async () => undefined, say: async () => undefined },
  ...facts,
});

const slack = {};
const discord = { vendor: "discord", person: { id: "1", name: "Ada" } } as const;
const manager = { ...discord, mayManageMessages: true };
const oncall = { ...discord, roles: ["456"] };

it.each([
  // Without an entry, anybody may acknowledge and nobody may do anything else.
  ["acknowledge", undefined, slack, true],
  ["undo", undefined, slack, true],
  ["acknowledge", undefined, discord, false],
  ["acknowledge", undefined, manager, true],
  ["undo", undefined, manager, true],
  ["snooze", undefined, slack, false],
  ["snooze", undefined, manager, false],
  ["mute_author", undefined, manager, false],
  ["not_relevant", undefined, slack, false],
  // An entry replaces the default, even if it is empty.
  ["acknowledge", [], slack, false],
  ["acknowledge", [], manager, false],
  ["acknowledge", ["channel"], slack, true],
  ["acknowledge", ["channel"], discord, true],
  ["snooze", ["channel"], discord, true],
  ["mute_author", ["channel"], slack, true],
  ["not_relevant", ["channel"], discord, true],
  // Entries that name people.
  ["snooze", ["slack:user:U1"], slack, true],
  ["snooze", ["slack:user:U2"], slack, false],
  ["snooze", ["discord:user:1"], discord, true],
  ["snooze", ["discord:user:1"], slack, false],
  ["snooze", ["slack:user:U1"], discord, false],
  // Entries that name roles and user groups.
  ["mute_author", ["discord:role:456"], oncall, true],
  ["mute_author", ["discord:role:456"], manager, false],
  ["mute_author", ["discord:role:456"], slack, false],
  ["not_relevant", ["slack:group:S1"], slack, true],
  ["not_relevant", ["slack:group:S1"], { person: { id: "U9", name: "Eve" } }, false],
  ["not_relevant", ["slack:group:S1"], discord, false],
  // A group that cannot be read allows nobody, but people named beside it stay allowed.
  ["not_relevant", ["slack:group:S0"], slack, false],
  ["not_relevant", ["slack:group:S0", "slack:user:U1"], slack, true],
] as const)("%s with %j for %j: %s", async (verb, allowed, facts, may) => {
  const key = verb === "undo" ? "acknowledge" : verb === "mute_author" ? "silence" : verb;
  const allow =
    allowed === undefined ? {} : { [key]: allowed.map((one) => readAllowed(one)).flat() };
  const click = clickOf(verb, facts);
  const markup = click.vendor === "slack" ? SLACK_MARKUP : DISCORD_MARKUP;
  const refusal = await refusalOf(click, {
    allow: allow as never,
    groups: click.vendor === "slack" ? groups : undefined,
    markup,
  });
  expect(refusal === undefined, refusal).toBe(may);
});

it("says who may, in the vendor's own names", async () => {
  const allow = {
    snooze: ["slack:group:S0", "slack:user:U7", "discord:role:456"].flatMap(
      (one) => readAllowed(one) ?? [],
    ),
  };
  expect(await refusalOf(clickOf("snooze", {}), { allow, groups, markup: SLACK_MARKUP })).toBe(
    "Only these can snooze alerts here: <!subteam^S0>, <@U7>. The members of a user group cannot be read at the moment.",
  );
  expect(await refusalOf(clickOf("snooze", discord), { allow, markup: DISCORD_MARKUP })).toBe(
    "Only these can snooze alerts here: <@&456>.",
  );
});
