/**
 * Makes untrusted text safe for Slack's three formats: literal (rich_text), message text, and
 * labels inside mrkdwn.
 */
import { cleanLine, cleanText } from "./text/clean-text.ts";
import { defuseEmoji, defuseMentions, replaceFormat } from "./text/defuse.ts";
import { trimEscaped, trimText } from "./text/trim-text.ts";
import { ownValue } from "../model/own-value.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Escapes the three characters that Slack treats as control characters:
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
const escape = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ownValue(ENTITIES, char) ?? char);

/**
 * Returns text for rich_text elements. Slack does not parse it, but mentions are broken all the
 * same.
 */
export const slackLiteral = (text: string, limit: number): string =>
  trimEscaped(cleanText(text), limit, defuseMentions);

/** Returns text for the top-level `text` of a message sent with `mrkdwn: false`. */
export const slackText = (text: string, limit: number): string =>
  trimEscaped(cleanText(text), limit, (cut) => escape(defuseMentions(cut)));

/**
 * Returns one line of mrkdwn without formatting, mentions or emoji. It can also be the label of a
 * link. `limit` counts UTF-16 units before escaping.
 */
export function slackLabel(text: string, limit: number): string {
  return escape(defuseEmoji(defuseMentions(replaceFormat(trimText(cleanLine(text), limit)))));
}

/**
 * Returns `<url|label>` of mrkdwn. `url` must come from `webUrl` or permalink.ts, so that it
 * contains no pipe and no bracket.
 */
export const slackLink = (url: string, label: string, limit: number): string =>
  `<${escape(url)}|${slackLabel(label, limit)}>`;
