/**
 * Decides who may do what in a chat: by `chat.allow`, and without an entry by the defaults. Only
 * acknowledging has defaults that allow it to anybody.
 */
import type { ButtonVerb } from "../../model/chat-action.ts";
import type { Allowed, ChatVerb } from "../../model/chat-access.ts";
import type { ChatConfig } from "../../config/config.ts";
import type { ChatMarkup, Click } from "./click.ts";

/** The key of `chat.allow` that decides about a button. */
const VERB_OF_BUTTON: Readonly<Record<ButtonVerb, ChatVerb>> = {
  acknowledge: "acknowledge",
  undo: "acknowledge",
  snooze: "snooze",
  mute_author: "silence",
  not_relevant: "not_relevant",
};

const DOING: Readonly<Record<ButtonVerb, string>> = {
  acknowledge: "acknowledge alerts",
  undo: "undo an acknowledgement",
  snooze: "snooze alerts",
  mute_author: "mute authors",
  not_relevant: "mark alerts as not relevant",
};

export interface UserGroups {
  /** Whether a person is in a user group. @throws ChatError if its members cannot be read */
  has(group: string, person: string): Promise<boolean>;
}

export interface WhoDeps {
  readonly allow: ChatConfig["allow"];
  /** Absent if the vendor has no user groups. */
  readonly groups?: UserGroups | undefined;
  readonly markup: ChatMarkup;
}

/** Returns why the person may not do it, as a sentence for them; undefined if they may. */
export async function refusalOf(click: Click, deps: WhoDeps): Promise<string | undefined> {
  const { vendor, button, mayManageMessages } = click;
  const { allow, groups, markup } = deps;
  const doing = DOING[button.verb];
  const verb = VERB_OF_BUTTON[button.verb];
  const written = allow[verb];
  if (written === undefined && verb === "acknowledge") {
    if (vendor === "slack" || mayManageMessages) return undefined;
    return `Only people who may manage messages in this channel can ${doing} here.`;
  }
  const here = (written ?? []).filter((one) => one.kind === "channel" || one.vendor === vendor);
  let isUnread = false;
  for (const one of here) {
    if (one.kind !== "group") {
      if (isNamed(one, click)) return undefined;
      continue;
    }
    const isMember = await groups?.has(one.id, click.person.id).catch(() => undefined);
    if (isMember === true) return undefined;
    isUnread ||= isMember === undefined;
  }
  if (here.length === 0) return `Nobody can ${doing} here: the configuration allows it to no one.`;
  const names = here.map((one) => markup.nameOf(one)).join(", ");
  const unread = isUnread ? " The members of a user group cannot be read at the moment." : "";
  return `Only these can ${doing} here: ${names}.${unread}`;
}

const isNamed = (
  one: Exclude<Allowed, { kind: "group" }>,
  { person, roles }: Pick<Click, "person" | "roles">,
): boolean =>
  one.kind === "channel" || (one.kind === "user" ? one.id === person.id : roles.includes(one.id));
