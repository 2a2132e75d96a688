/**
 * Text of strangers in Slack's three dialects: literal (rich_text), message text, and labels inside
 * mrkdwn.
 */
import { cleanLine, cleanText } from "./text/clean-text.ts";
import { defuseEmoji, defuseMentions, replaceFormat } from "./text/defuse.ts";
import { trimEscaped, trimText } from "./text/trim-text.ts";
import { ownValue } from "../model/own-value.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * The three characters Slack reads as control:
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
const escape = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ownValue(ENTITIES, char) ?? char);

/** For rich_text elements, which Slack never parses; mentions are broken all the same. */
export const slackLiteral = (text: string, limit: number): string =>
  trimEscaped(cleanText(text), limit, defuseMentions);

/** For the top-level `text` of a message sent with `mrkdwn: false`. */
export const slackText = (text: string, limit: number): string =>
  trimEscaped(cleanText(text), limit, (cut) => escape(defuseMentions(cut)));

/**
 * One line of mrkdwn in which nothing takes effect; also fit for a link's label. `limit` counts
 * before escaping.
 */
export function slackLabel(text: string, limit: number): string {
  return escape(defuseEmoji(defuseMentions(replaceFormat(trimText(cleanLine(text), limit)))));
}

/**
 * `<url|label>` of mrkdwn; `url` comes from `webUrl` or permalink.ts, so that it holds no pipe and
 * no bracket.
 */
export const slackLink = (url: string, label: string, limit: number): string =>
  `<${escape(url)}|${slackLabel(label, limit)}>`;
