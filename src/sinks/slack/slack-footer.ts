/** Adds a footer line to a Slack message, within the limits of its blocks and text. Pure. */
import { slackLabel } from "../../render/slack-text.ts";
import { FOOTER_LINE_CHARS, withFooterLine } from "../kind/footer-text.ts";
import {
  BLOCKS,
  BLOCKS_CHARS,
  context,
  mrkdwn,
  SLACK_TEXT_CHARS,
  size,
  type SlackBody,
} from "./slack-blocks.ts";

/**
 * Returns the message with the footer below it. Blocks at the end that leave no room for the footer
 * are removed.
 */
export function withSlackFooter(body: SlackBody, footer: string): SlackBody {
  const line = slackLabel(footer, FOOTER_LINE_CHARS);
  const text = withFooterLine(body.text, line, SLACK_TEXT_CHARS);
  if (body.blocks.length === 0) return { ...body, text };
  const own = context([mrkdwn(line)]);
  const blocks = body.blocks.slice(0, BLOCKS - 1);
  while (blocks.length > 1 && size([...blocks, own]) > BLOCKS_CHARS) blocks.pop();
  return { ...body, text, blocks: [...blocks, own] };
}
