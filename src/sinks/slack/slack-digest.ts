/** The layout of a list of alerts in Slack: a heading, a line with a link for each alert, as many messages as it takes. Pure. */
import type { Json } from "../../model/json.ts";
import type { Digest, DigestPart, OutboxEvent } from "../../model/sink.ts";
import { digestHeading, digestLine, digestRange, digestRemainder, digestTopHeading, isPage } from "../../render/digest-text.ts";
import { joinLines, splitDigest } from "../../render/text/split-lines.ts";
import { slackLabel, slackLink, slackText } from "../../render/slack-text.ts";
import {
  BLOCKS_CHARS,
  context,
  dateToken,
  mentionBlocks,
  mrkdwn,
  SECTION_CHARS,
  size,
  type SlackBlock,
  type SlackBody,
} from "./slack-blocks.ts";

const LABEL_CHARS = 60;
const WORDS_CHARS = 100;
/** Escapes can make a line five times as long; such a line gives up its words. */
const LINE_CHARS = 700;
const SECTIONS_AT_MOST = 8;

interface Line {
  readonly event: OutboxEvent;
  /** As mrkdwn. */
  readonly shown: string;
  /** As plain text. */
  readonly text: string;
}

export function renderSlackDigest(digest: Digest): readonly DigestPart[] {
  const heading = [digestHeading(digest), digestTopHeading(digest)].filter((line) => line !== "");
  const remainder = remainderOf(digest);
  const { mentions = [] } = digest;
  const frame = [...mentionBlocks(mentions), headingBlock(heading), ...remainder.blocks];
  const budget = BLOCKS_CHARS - size(frame) - SECTIONS_AT_MOST * size(section(""));
  const messages = splitDigest(digest.top.map(lineOf(digest)), digest.rest.map(lineOf(digest)), ({ shown }) => [size(shown)], [budget]);
  let next = 1;
  return messages.map((lines, index) => {
    const isFirst = index === 0;
    const above = isFirst ? heading : [digestRange(digest, next, lines.length)];
    next += lines.length;
    const body = bodyOf(above, lines, isFirst ? remainder : NO_REMAINDER);
    const shown = isFirst ? withMentions(body, mentions) : { ...body, isPart: true };
    return { events: lines.map(({ event }) => event), body: shown as unknown as Json };
  });
}

interface Remainder {
  readonly blocks: readonly SlackBlock[];
  readonly text: readonly string[];
}

const NO_REMAINDER: Remainder = { blocks: [], text: [] };

const withMentions = ({ text, blocks }: SlackBody, mentions: readonly string[]): SlackBody => ({
  text: [...mentions, text].join(" "),
  blocks: [...mentionBlocks(mentions), ...blocks],
});

function bodyOf(heading: readonly string[], lines: readonly Line[], remainder: Remainder): SlackBody {
  return {
    text: [...heading.map((line) => slackText(line, 300)), ...lines.map(({ text }) => text), ...remainder.text].join("\n"),
    blocks: [
      headingBlock(heading),
      ...joinLines(
        lines.map(({ shown }) => shown),
        SECTION_CHARS,
      ).map(section),
      ...remainder.blocks,
    ],
  };
}

const headingBlock = (heading: readonly string[]): SlackBlock =>
  context([mrkdwn(heading.map((line, index) => (index === 0 ? `*${slackLabel(line, 200)}*` : slackLabel(line, 200))).join("\n"))]);

function remainderOf(digest: Digest): Remainder {
  const said = digestRemainder(digest);
  if (said === undefined) return NO_REMAINDER;
  const where = digest.unlisted?.where ?? "";
  // A command is there to be copied: nothing may stand between its letters.
  const shown = isPage(where) ? slackLink(where, "see them all", 60) : where === "" ? "" : `\`${where.replace(/[&<>`]/g, "")}\``;
  return {
    blocks: [context([mrkdwn([slackLabel(said, 300), shown].filter((part) => part !== "").join(" "))])],
    text: [slackText([said, where].filter((part) => part !== "").join(" "), 1_000)],
  };
}

const lineOf =
  (digest: Digest) =>
  (event: OutboxEvent): Line => {
    const { label, words, url } = digestLine(digest.read(event));
    const name = label || event.event.subject;
    const said = slackLabel(words, WORDS_CHARS);
    const link = (most: number) => (url === undefined ? slackLabel(name, most) : slackLink(url, name, most));
    const whole = `• ${link(LABEL_CHARS)} ${said}`.trimEnd();
    const shorter = () => [link(LABEL_CHARS), link(20)].map((form) => `• ${form}`).find(({ length }) => length <= LINE_CHARS);
    const shown = whole.length <= LINE_CHARS ? whole : (shorter() ?? `• ${slackLabel(name, 20)}`);
    const plain = slackText(`• ${name.replace(/\s+/g, " ")}: ${words.replace(/\s+/g, " ")}`.replace(/: $/, ""), LABEL_CHARS + WORDS_CHARS);
    return { event, shown, text: [plain, slackText(url ?? "", 700)].filter((part) => part !== "").join("\n") };
  };

const section = (text: string): SlackBlock => ({ type: "section", text: mrkdwn(text), expand: true });

/** What the channel hears when alerts are gathered from now on. */
export function renderSlackAnnouncement(nextAtMs: number): SlackBody {
  const time = `${new Date(nextAtMs).toISOString().slice(11, 16)} UTC`;
  return {
    text: `Many at once: next summary at ${time}`,
    blocks: [context([mrkdwn(`*Many at once*: next summary at ${dateToken(nextAtMs, "{time}", time)}`)])],
  };
}
