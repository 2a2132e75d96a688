/** The Slack blocks that messages consist of, and their limits. */

/**
 * The maximum length of a message's `text`.
 * https://docs.slack.dev/reference/methods/chat.postMessage#truncating
 */
export const SLACK_TEXT_CHARS = 40_000;
/**
 * The maximum length of a section. The documentation names no limit for rich_text, so the same
 * limit is used for it. https://docs.slack.dev/reference/block-kit/blocks/section-block
 */
export const SECTION_CHARS = 3_000;
/** The maximum number of blocks in a message. https://docs.slack.dev/reference/block-kit/blocks */
export const BLOCKS = 50;
/**
 * The maximum size of all blocks together, counted as JSON. Slack refuses a message with
 * `msg_blocks_too_long` from about this size on; its own count is lower than that of the JSON.
 */
export const BLOCKS_CHARS = 13_000;

export type SlackBlock = { readonly type: string; readonly [key: string]: unknown };

/**
 * The body of a message, which is stored and not rendered again. It therefore contains `text`,
 * which is sent alone if Slack refuses the blocks.
 */
export interface SlackBody {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  /** Whether the message continues the list of the one before it. */
  readonly isPart?: true;
  /** Whether the message is a reply to an earlier one, such as the alert that it follows up. */
  readonly isReply?: true;
  /** Whether the message has buttons, which are added when it is sent or edited. */
  readonly hasButtons?: true;
}

export const size = (value: unknown): number => JSON.stringify(value).length;

/**
 * Returns a text object. With `verbatim`, Slack turns nothing in the text into a link or a mention.
 */
export const mrkdwn = (text: string): SlackBlock => ({ type: "mrkdwn", text, verbatim: true });
/**
 * Returns a block with the mentions, if there are any. The text of a mention comes from the
 * configuration, never from a post.
 * https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
 */
export const mentionBlocks = (mentions: readonly string[] = []): readonly SlackBlock[] =>
  mentions.length === 0 ? [] : [{ type: "section", text: mrkdwn(mentions.join(" ")) }];
export const context = (elements: readonly SlackBlock[]): SlackBlock => ({
  type: "context",
  elements,
});

/**
 * Returns a date that Slack shows in each reader's own time zone:
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export const dateToken = (epochMs: number, format: string, fallback: string): string =>
  `<!date^${Math.floor(epochMs / 1_000)}^${format}|${fallback}>`;
