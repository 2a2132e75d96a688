/** Slack's blocks as far as chirpwatch uses them, and the limits on them. */

/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating */
export const SLACK_TEXT_CHARS = 40_000;
/**
 * https://docs.slack.dev/reference/block-kit/blocks/section-block; rich_text names no limit of its
 * own, so it gets the same.
 */
export const SECTION_CHARS = 3_000;
/** https://docs.slack.dev/reference/block-kit/blocks */
export const BLOCKS = 50;
/**
 * Over all blocks `msg_blocks_too_long` starts at about this; counted as JSON, which is longer than
 * what Slack counts.
 */
export const BLOCKS_CHARS = 13_000;

export type SlackBlock = { readonly type: string; readonly [key: string]: unknown };

/** What is sealed: the fallback included, because `render` is not asked again. */
export interface SlackBody {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  /** It goes on with the list of the message before it. */
  readonly isPart?: true;
  /** It speaks about the message that it belongs under. */
  readonly isReply?: true;
}

export const size = (value: unknown): number => JSON.stringify(value).length;

/** `verbatim`: nothing in it becomes a link or a mention by itself. */
export const mrkdwn = (text: string): SlackBlock => ({ type: "mrkdwn", text, verbatim: true });
/**
 * Those who are called, where anybody is: text of the configuration, none of a stranger's.
 * https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
 */
export const mentionBlocks = (mentions: readonly string[] = []): readonly SlackBlock[] =>
  mentions.length === 0 ? [] : [{ type: "section", text: mrkdwn(mentions.join(" ")) }];
export const context = (elements: readonly SlackBlock[]): SlackBlock => ({
  type: "context",
  elements,
});

/**
 * Shown in the reader's own time zone:
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export const dateToken = (epochMs: number, format: string, fallback: string): string =>
  `<!date^${Math.floor(epochMs / 1_000)}^${format}|${fallback}>`;
