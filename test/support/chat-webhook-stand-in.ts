/**
 * A stand-in for incoming webhooks of chats, for the field `text`: the smallest of the chats'
 * limits, and the texts that any of them would act on.
 */
import type { ChatWebhookBody } from "../../src/sinks/chat-webhook.ts";

/** The limit of older Mattermost servers. */
const TEXT_CHARS = 4_000;

/** Returns why one of the chats would refuse the message, or undefined if all accept it. */
export function chatWebhookRefusal({ text, ...others }: ChatWebhookBody): string | undefined {
  if (Object.keys(others).length > 0) return "keys that not every chat knows";
  if (text.trim() === "") return "no text";
  return text.length <= TEXT_CHARS ? undefined : "Unable to save the post: too long";
}

/**
 * Text that a chat acts on: names, groups and channels; Slack's links and mentions; formats; halves
 * of a Markdown link; headings, lists and code at the beginning of a line.
 */
export const LIVE_CHAT_WEBHOOK =
  /[*~`|]|[@<#](?=\w)|<[!@#]|(?<![A-Za-z0-9])_(?=\S)|\][([:]|:(?!\d\d:)[a-z0-9_+-]+:|&#?\w+;|^(?:[-+=]|#+\s|\d+[.)]| {4}|\t)/im;

/** Markup that the daemon writes itself: links, and the mark of a quote. */
export const OWN_CHAT_WEBHOOK = /https?:\/\/[^\s@<*~`|]*|^> /gm;
