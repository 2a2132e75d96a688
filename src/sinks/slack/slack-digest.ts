/**
 * Lays out a list of alerts for Slack: a heading, sections, a line with a link for each alert, in
 * as many messages as needed. Pure.
 */
import type { Json } from "../../model/json.ts";
import type { Digest, DigestPart } from "../../model/sink.ts";
import { type DigestRow, digestPages } from "../../render/digest-rows.ts";
import { digestHeading, digestNotes, digestRange, isPage } from "../../render/digest-text.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { joinLines } from "../../render/text/split-lines.ts";
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

const HEADING_CHARS = 300;
const LABEL_CHARS = 60;
const WORDS_CHARS = 100;
/**
 * The maximum length of a line. Escaping can make a line five times as long; a line above this
 * limit is shown without the post's words.
 */
const LINE_CHARS = 700;
const SECTIONS_AT_MOST = 8;

/** A row of the list in both forms: `shown` is mrkdwn, `text` is plain text. */
interface Line {
  readonly shown: string;
  readonly text: string;
}

/** Renders a list. `reservedChars` is the size that the blocks of each message leave free. */
export function* renderSlackDigest(digest: Digest, reservedChars = 0): Generator<DigestPart, void> {
  const heading = digestHeading(digest, (text) => cleanLine(text).length <= HEADING_CHARS);
  const remainder = remainderOf(digest);
  const { mentions = [] } = digest;
  const frame = [...mentionBlocks(mentions), headingBlock(heading), ...remainder.blocks];
  const budget = BLOCKS_CHARS - reservedChars - size(frame) - SECTIONS_AT_MOST * size(section(""));
  const pages = digestPages(digest, {
    lineOf,
    costs: ({ shown }) => [size(shown)],
    first: [budget],
    further: [budget],
  });
  let next = 1;
  for (const { lines, events } of pages) {
    const isFirst = next === 1;
    const above = isFirst ? heading : digestRange(digest, next, events.length);
    next += events.length;
    const body = bodyOf(above, lines, isFirst ? remainder : NO_REMAINDER);
    const quiet = digest.cause === "snooze" ? { isReply: true } : {};
    const shown = isFirst
      ? { ...withMentions(body, mentions), ...quiet }
      : { ...body, isPart: true };
    const buttons = reservedChars > 0 ? { hasButtons: true } : {};
    yield { events, body: { ...shown, ...buttons } as unknown as Json };
  }
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

function bodyOf(heading: string, lines: readonly Line[], remainder: Remainder): SlackBody {
  return {
    text: [slackText(heading, 400), ...lines.map(({ text }) => text), ...remainder.text].join("\n"),
    blocks: [
      headingBlock(heading),
      ...joinLines(
        lines.map(({ shown }) => shown),
        SECTION_CHARS,
      ).map((text) => section(text.trim())),
      ...remainder.blocks,
    ],
  };
}

const headingBlock = (heading: string): SlackBlock =>
  context([mrkdwn(`*${slackLabel(heading, HEADING_CHARS)}*`)]);

function remainderOf(digest: Digest): Remainder {
  const notes = digestNotes(digest);
  return {
    blocks: notes.map(({ said, where, label }) => {
      // A command is there to be copied, so characters are only removed from it, and none is
      // inserted.
      const shown = isPage(where)
        ? slackLink(where, label, 60)
        : where === ""
          ? ""
          : `\`${where.replace(/[&<>`]/g, "")}\``;
      return context([
        mrkdwn([slackLabel(said, 300), shown].filter((part) => part !== "").join(" ")),
      ]);
    }),
    text: notes.map(({ said, where }) =>
      slackText([said, where].filter((part) => part !== "").join(" "), 1_000),
    ),
  };
}

function lineOf(row: DigestRow): Line {
  // A section begins with an empty line.
  if (row.kind === "section")
    return {
      shown: `\n*${slackLabel(row.text, HEADING_CHARS)}*`,
      text: slackText(row.text, HEADING_CHARS),
    };
  if (row.kind === "people")
    return { shown: slackLabel(row.text, HEADING_CHARS), text: slackText(row.text, HEADING_CHARS) };
  const indent = row.isIndented ? "      " : "";
  if (row.kind === "more") return { shown: `${indent}${row.text}`, text: row.text };
  const { line, value, isInner } = row;
  const name = line.label || (row.events[0]?.event.subject ?? "");
  const mark = value === "" ? `${indent}• ` : `${indent}• ${slackLabel(value, 40)}  `;
  const said = slackLabel(line.words, WORDS_CHARS);
  const link = (most: number) =>
    line.url === undefined ? slackLabel(name, most) : slackLink(line.url, name, most);
  const between = isInner && said !== "" ? " · " : " ";
  const whole = `${mark}${link(LABEL_CHARS)}${between}${said}`.trimEnd();
  const shorter = () =>
    [link(LABEL_CHARS), link(20)]
      .map((form) => `${mark}${form}`)
      .find(({ length }) => length <= LINE_CHARS);
  const shown =
    whole.length <= LINE_CHARS ? whole : (shorter() ?? `${mark}${slackLabel(name, 20)}`);
  const plain = `${mark}${name.replace(/\s+/g, " ")}: ${line.words.replace(/\s+/g, " ")}`.replace(
    /: $/,
    "",
  );
  const text = slackText(plain, LABEL_CHARS + WORDS_CHARS);
  return {
    shown,
    text: [text, slackText(line.url ?? "", 700)].filter((part) => part !== "").join("\n"),
  };
}

const section = (text: string): SlackBlock => ({
  type: "section",
  text: mrkdwn(text),
  expand: true,
});

/** Announces that alerts are collected from now on, and when the digest comes. */
export function renderSlackAnnouncement(nextAtMs: number): SlackBody {
  const time = `${new Date(nextAtMs).toISOString().slice(11, 16)} UTC`;
  return {
    text: `Many at once: next summary at ${time}`,
    blocks: [
      context([mrkdwn(`*Many at once*: next summary at ${dateToken(nextAtMs, "{time}", time)}`)]),
    ],
  };
}
