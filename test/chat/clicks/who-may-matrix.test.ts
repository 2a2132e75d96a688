/**
 * Tests all combinations of who may do what: each button, in each chat, with each form of an entry
 * of `chat.allow`, alone and beside one that allows nobody, for each kind of person.
 */
import { expect, it } from "vitest";
import { refusalOf } from "../../../src/chat/clicks/who-may.ts";
import type { Click } from "../../../src/chat/clicks/click.ts";
import { readDiscordClick } from "../../../src/chat/discord/discord-click.ts";
import { DISCORD_MARKUP } from "../../../src/chat/discord/discord-markup.ts";
import { createSlackGroups } from "../../../src/chat/slack/slack-groups.ts";
import { SLACK_MARKUP } from "../../../src/chat/slack/slack-markup.ts";
import type { ButtonVerb } from "../../../src/model/chat-action.ts";
import { type ChatVerb, readAllowed } from "../../../src/model/chat-access.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** The buttons, each with the key of `chat.allow` that decides about it. */
const BUTTONS: readonly (readonly [ButtonVerb, ChatVerb])[] = [
  ["acknowledge", "acknowledge"],
  ["undo", "acknowledge"],
  ["snooze", "snooze"],
  ["mute_author", "silence"],
  ["not_relevant", "not_relevant"],
];

/** A person, and the entries that name them. */
interface Who {
  readonly what: string;
  readonly facts: Pick<Click, "vendor" | "person" | "roles" | "mayManageMessages">;
  readonly named: readonly string[];
}

const ADA = { id: "U1", name: "Ada" };
const PEOPLE: readonly Who[] = [
  {
    what: "a member of the group in Slack",
    facts: { vendor: "slack", person: ADA, roles: [], mayManageMessages: false },
    named: ["channel", "slack:user:U1", "slack:group:S1"],
  },
  {
    what: "somebody else in Slack",
    facts: {
      ...{ vendor: "slack", person: { id: "U2", name: "Eve" } },
      roles: [],
      mayManageMessages: false,
    },
    named: ["channel"],
  },
  {
    what: "somebody in Discord",
    facts: {
      ...{ vendor: "discord", person: { id: "2", name: "Eve" } },
      roles: ["9"],
      mayManageMessages: false,
    },
    named: ["channel"],
  },
  {
    what: "somebody with the role in Discord",
    facts: {
      ...{ vendor: "discord", person: { id: "1", name: "Ada" } },
      roles: ["9", "456"],
      mayManageMessages: false,
    },
    named: ["channel", "discord:user:1", "discord:role:456"],
  },
  {
    what: "who manages messages in Discord",
    facts: {
      ...{ vendor: "discord", person: { id: "3", name: "Mod" } },
      roles: [],
      mayManageMessages: true,
    },
    named: ["channel"],
  },
];

/** The forms of an entry. Nobody is in S0, whose members cannot be read, and nobody is U9 or 999. */
const ENTRIES: readonly (readonly string[] | undefined)[] = [
  undefined,
  [],
  ...[
    "channel",
    ...["slack:user:U1", "slack:user:U9", "slack:group:S1", "slack:group:S0"],
    ...["discord:user:1", "discord:user:999", "discord:role:456", "discord:role:999"],
  ].flatMap((entry) => [[entry], ["slack:group:S0", "discord:role:999", entry]]),
];

/** Returns whether an entry is about the other chat, so that its ids match nobody here. */
const isElsewhere = (entry: string, vendor: string): boolean =>
  entry !== "channel" && !entry.startsWith(vendor);

const groups = {
  has: async (group: string, person: string) => {
    if (group === "S0") throw new Error("missing_scope");
    return group === "S1" && person === "U1";
  },
};

const rows = BUTTONS.flatMap(([button, verb]) =>
  ENTRIES.flatMap((entry) => PEOPLE.map((who) => ({ button, verb, entry, who }))),
);

it(`allows what is written and nothing else, in all ${rows.length} rows`, async () => {
  for (const { button, verb, entry, who } of rows) {
    const { vendor, mayManageMessages } = who.facts;
    const allow = entry === undefined ? {} : { [verb]: entry.map((one) => readAllowed(one)) };
    // Entries of other buttons must not matter, so each one allows everybody in the channel.
    const others = Object.fromEntries(
      BUTTONS.flatMap(([, other]) => (other === verb ? [] : [[other, [readAllowed("channel")]]])),
    );
    const may =
      entry === undefined
        ? verb === "acknowledge" && (vendor === "slack" || mayManageMessages)
        : entry.some((one) => who.named.includes(one));
    const refusal = await refusalOf(
      {
        ...{ ...who.facts, id: "c", choice: undefined },
        button: { verb: button, messageId: "m" },
        ...{ answer: async () => undefined, say: async () => undefined },
      },
      {
        allow: { ...others, ...allow } as never,
        groups: vendor === "slack" ? groups : undefined,
        markup: vendor === "slack" ? SLACK_MARKUP : DISCORD_MARKUP,
      },
    );
    const row = `${button} with ${JSON.stringify(entry)} for ${who.what}`;
    expect([row, refusal === undefined], refusal).toEqual([row, may]);
    if (refusal === undefined) continue;
    const isNobody = (entry ?? []).every((one) => isElsewhere(one, vendor));
    const isDefault = entry === undefined && verb === "acknowledge";
    expect([row, refusal]).toEqual([
      row,
      expect.stringMatching(
        isDefault ? /manage messages/ : isNobody ? /^Nobody can / : /^Only these can .+ here: /,
      ),
    ]);
    expect([row, refusal.includes("cannot be read")]).toEqual([
      row,
      vendor === "slack" && (entry ?? []).includes("slack:group:S0"),
    ]);
  }
});

it.each([
  ["0", false],
  [String(1n << 13n), true],
  [String(1n << 3n), true],
  [String((1n << 13n) | (1n << 40n)), true],
  [String((1n << 12n) | (1n << 14n)), false],
  ["-1", false],
  ["0x2000", false],
  ["", false],
  [undefined, false],
  [8_192, false],
])("reads the permissions %s of a click in Discord as %s", (permissions, may) => {
  const click = readDiscordClick({
    ...{ id: "7", type: 3, application_id: "4", token: "t" },
    data: { custom_id: "chirpwatch:acknowledge:m1" },
    member: { user: { id: "1", username: "ada" }, roles: [], permissions },
  });
  expect(click?.mayManageMessages).toBe(may);
});

it("reads each user group of Slack at most once a minute, so a person who left it can act for no longer", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 4, 5));
  const members = new Map<string, unknown>([
    ["S1", ["U1", "U2"]],
    ["S2", ["U2"]],
  ]);
  const reads: string[] = [];
  const groupsOfSlack = createSlackGroups(
    async (method, { usergroup = "" }) => {
      reads.push(`${method} ${usergroup}`);
      if (!members.has(usergroup)) throw new Error("missing_scope");
      return { users: members.get(usergroup) };
    },
    { clock, log: rememberingLog() },
  );
  const has = (group: string, person: string) =>
    groupsOfSlack.has(group, person).catch(() => "unreadable");
  const asked = async () => [await has("S1", "U1"), await has("S2", "U1"), await has("S1", "U2")];
  expect(await Promise.all([asked(), asked()])).toEqual([
    [true, false, true],
    [true, false, true],
  ]);
  expect(reads.toSorted()).toEqual(["usergroups.users.list S1", "usergroups.users.list S2"]);
  members.set("S1", ["U2"]).set("S2", "no list");
  await clock.advance(59_999);
  expect(await asked()).toEqual([true, false, true]);
  expect(reads).toHaveLength(2);
  await clock.advance(1);
  expect(await asked()).toEqual([false, "unreadable", true]);
  expect(reads).toHaveLength(4);
  // A group that cannot be read is not requested again and again.
  members.set("S2", ["U1"]);
  await clock.advance(59_999);
  expect(await has("S2", "U1")).toBe("unreadable");
  expect(reads).toHaveLength(4);
  await clock.advance(1);
  expect(await has("S2", "U1")).toBe(true);
});
