/** Access in chats, as the configuration says it: what people can do there, and who they are. */

/**
 * The keys of `chat.allow`. `silence` is for whatever keeps alerts of an account or a label away,
 * such as the button that mutes an author.
 */
export const CHAT_VERBS = ["acknowledge", "snooze", "silence", "not_relevant"] as const;
export type ChatVerb = (typeof CHAT_VERBS)[number];

export type ChatVendor = "slack" | "discord";

/** The people that an entry of `chat.allow` names. */
export type Allowed =
  /** Everyone who can act in a channel where a sink posts. */
  | { readonly kind: "channel" }
  | { readonly kind: "user"; readonly vendor: ChatVendor; readonly id: string }
  /** A user group of Slack. */
  | { readonly kind: "group"; readonly vendor: "slack"; readonly id: string }
  /** A role of Discord. */
  | { readonly kind: "role"; readonly vendor: "discord"; readonly id: string };

/** Reads an entry of `chat.allow`; undefined if it has none of the forms. */
export function readAllowed(text: string): Allowed | undefined {
  if (text === "channel") return { kind: "channel" };
  const slack = /^slack:(user|group):([A-Z][A-Z0-9]{1,20})$/.exec(text);
  if (slack !== null) {
    const [, kind = "", id = ""] = slack;
    return kind === "user"
      ? { kind: "user", vendor: "slack", id }
      : { kind: "group", vendor: "slack", id };
  }
  const discord = /^discord:(user|role):(\d{1,21})$/.exec(text);
  if (discord === null) return undefined;
  const [, kind = "", id = ""] = discord;
  return kind === "user"
    ? { kind: "user", vendor: "discord", id }
    : { kind: "role", vendor: "discord", id };
}
