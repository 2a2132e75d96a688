/** How private answers in Slack write names. */
import { slackLabel } from "../../render/slack-text.ts";
import type { ChatMarkup } from "../clicks/click.ts";

const NAME_CHARS = 80;

/**
 * Slack shows ids as names. An answer that only one person sees notifies nobody.
 * https://docs.slack.dev/messaging/formatting-message-text#advanced
 */
export const SLACK_MARKUP: ChatMarkup = {
  plain: (text) => slackLabel(text, NAME_CHARS),
  nameOf: (one) =>
    one.kind === "channel"
      ? "everyone in this channel"
      : one.kind === "group"
        ? `<!subteam^${one.id}>`
        : `<@${one.id}>`,
};
