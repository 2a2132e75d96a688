/**
 * Lays out a list of alerts for Discord: a heading, sections, a line with a link for each alert, in
 * as many messages as needed. Pure.
 */
import type { Json } from "../../model/json.ts";
import type { Digest, DigestPart } from "../../model/sink.ts";
import { type DigestRow, digestPages } from "../../render/digest-rows.ts";
import { digestHeading, digestNotes, digestRange, isPage } from "../../render/digest-text.ts";
import { discordLabel, discordLink, discordPlain } from "../../render/discord-text.ts";
import { joinLines } from "../../render/text/split-lines.ts";
import {
  CONTENT_CHARS,
  DESCRIPTION_CHARS,
  type DiscordBody,
  type DiscordStyle,
  EMBED_CHARS_TOTAL,
  tagsIn,
} from "./discord-render.ts";

const HEADING_CHARS = 300;
/** Space for a text such as "11 to 60 of 595", which heads the further messages of a list. */
const RANGE_CHARS = 60;
const LABEL_CHARS = 60;
const WORDS_CHARS = 110;
const COLOR = 0x3b82f6;
/** The maximum length of a forum post's name. */
const NAME_CHARS = 100;

/** A limit for texts that are measured whole. */
const MORE_THAN_ALL = 100_000;

/**
 * A row of the list in both forms: `shown` for the embed, `plain` for the message's content, which
 * is used if Discord refuses the embed.
 */
interface Line {
  readonly shown: string;
  readonly plain: string;
}

export function* renderDiscordDigest(
  digest: Digest,
  forum?: DiscordStyle["forum"],
  hasButtons = false,
): Generator<DigestPart, void> {
  const { mentions = [] } = digest;
  const heading = discordLabel(
    digestHeading(digest, (text) => discordLabel(text, MORE_THAN_ALL).length <= HEADING_CHARS),
    HEADING_CHARS,
  );
  const threadName = discordPlain(
    digestHeading(digest, (text) => discordPlain(text, MORE_THAN_ALL).length <= NAME_CHARS),
    NAME_CHARS,
  );
  const lead = [...mentions, `**${heading}**`].join(" ");
  const remainder = remainderOf(digest);
  // The embed and the plain content must each have room for all lines of a message.
  const room = (above: string, below: string) => [
    EMBED_CHARS_TOTAL - below.length - 1,
    CONTENT_CHARS - Math.max(above.length, RANGE_CHARS) - below.length - 2,
  ];
  const pages = digestPages(digest, {
    lineOf,
    costs: ({ shown, plain }) => [shown.length + 1, plain.length + 1],
    first: room(lead, remainder),
    further: room("", ""),
  });
  const tags = tagsIn(
    forum,
    digest.sections.flatMap(({ items }) => items),
  );
  let next = 1;
  for (const { lines, events } of pages) {
    const isFirst = next === 1;
    const content = isFirst ? lead : digestRange(digest, next, events.length);
    const below = isFirst && remainder !== "" ? [remainder] : [];
    next += events.length;
    const body: DiscordBody = {
      content,
      embeds: joinLines([...lines.map(({ shown }) => shown), ...below], DESCRIPTION_CHARS).map(
        (description) => ({
          description: description.trim(),
          color: COLOR,
        }),
      ),
      plain: join([content, ...lines.map(({ plain }) => plain), ...below]),
      threadName,
      ...(tags.length > 0 ? { tags } : {}),
      ...(isFirst && mentions.length > 0 ? { mentions } : {}),
      ...(digest.isFollowUp === true ? { isLocal: true } : {}),
      ...(hasButtons ? { hasButtons } : {}),
      ...(digest.cause === "snooze" ? { isReply: true } : {}),
    };
    yield { events, body: body as unknown as Json };
  }
}

const join = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

function remainderOf(digest: Digest): string {
  const lines = digestNotes(digest).map(({ said, where }) => {
    // A command is shown between backticks; a page is shown as a link without a preview.
    const shown = isPage(where)
      ? `<${where.slice(0, 500)}>`
      : where === ""
        ? ""
        : `\`${where.replaceAll("`", "").slice(0, 400)}\``;
    return [said, shown].filter((part) => part !== "").join(" ");
  });
  return lines.join("\n");
}

function lineOf(row: DigestRow): Line {
  // A section begins with an empty line.
  if (row.kind === "section") {
    const text = `**${discordLabel(row.text, HEADING_CHARS)}**`;
    return { shown: `\n${text}`, plain: text };
  }
  if (row.kind !== "item") {
    const text = discordLabel(row.text, HEADING_CHARS);
    return { shown: row.kind === "more" && row.isIndented ? `  ${text}` : text, plain: text };
  }
  const { line, value, isInner, isIndented } = row;
  const name = line.label || (row.events[0]?.event.subject ?? "");
  const indent = isIndented ? "  " : "";
  const mark = value === "" ? `${indent}• ` : `${indent}• ${discordLabel(value, 40)}  `;
  const said = discordLabel(line.words, WORDS_CHARS);
  const words = isInner && said !== "" ? `· ${said}` : said;
  if (line.url === undefined) {
    const plain = discordLabel(name, LABEL_CHARS);
    return { shown: `${mark}${plain} ${words}`.trimEnd(), plain };
  }
  return {
    shown: `${mark}${discordLink(line.url, name, LABEL_CHARS)} ${words}`.trimEnd(),
    plain: `<${line.url}>`,
  };
}

/**
 * Announces that alerts are collected from now on, and when the digest comes. Discord shows the
 * time in each reader's own time zone.
 */
export function renderDiscordAnnouncement(
  nextAtMs: number,
  forum: DiscordStyle["forum"],
): DiscordBody {
  const content = `**Many at once**: next summary at <t:${Math.floor(nextAtMs / 1_000)}:t>`;
  return {
    content,
    embeds: [],
    plain: content,
    threadName: "Many alerts at once",
    tags: tagsIn(forum, []),
    isLocal: true,
  };
}
