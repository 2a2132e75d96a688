/** The blocks of Slack that chirpwatch uses, and their limits. */

/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating */
export const SLACK_TEXT_CHARS = 40_000;
/**
 * https://docs.slack.dev/reference/block-kit/blocks/section-block. rich_text names no limit, so it
 * gets the same one.
 */
export const SECTION_CHARS = 3_000;
/** https://docs.slack.dev/reference/block-kit/blocks */
export const BLOCKS = 50;
/**
 * `msg_blocks_too_long` starts at about this size of all blocks. The size is counted as JSON, which
 * is longer than what Slack counts.
 */
export const BLOCKS_CHARS = 13_000;

export type SlackBlock = { readonly type: string; readonly [key: string]: unknown };

/** The sealed body. It includes the fallback, because the message is not rendered again. */
export interface SlackBody {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  /** Whether the message continues the list of the one before it. */
  readonly isPart?: true;
  /** Whether the message is about the one that it is posted under. */
  readonly isReply?: true;
}

export const size = (value: unknown): number => JSON.stringify(value).length;

/** Returns a text object. With `verbatim`, nothing in it becomes a link or a mention. */
export const mrkdwn = (text: string): SlackBlock => ({ type: "mrkdwn", text, verbatim: true });
/**
 * Returns a block with the mentions, if there are any. Their text is from the configuration and
 * contains no text of other people.
 * https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
 */
export const mentionBlocks = (mentions: readonly string[] = []): readonly SlackBlock[] =>
  mentions.length === 0 ? [] : [{ type: "section", text: mrkdwn(mentions.join(" ")) }];
export const context = (elements: readonly SlackBlock[]): SlackBlock => ({
  type: "context",
  elements,
});

/**
 * Returns a date that is shown in the reader's own time zone:
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export const dateToken = (epochMs: number, format: string, fallback: string): string =>
  `<!date^${Math.floor(epochMs / 1_000)}^${format}|${fallback}>`;
