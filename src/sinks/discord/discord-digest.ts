/** The layout of a list of alerts in Discord: a heading, a line with a link for each alert, as many messages as it takes. Pure. */
import type { Json } from "../../model/json.ts";
import type { Digest, DigestPart, OutboxEvent } from "../../model/sink.ts";
import { digestHeading, digestLine, digestRange, digestRemainder, digestTopHeading, isPage } from "../../render/digest-text.ts";
import { discordLabel, discordLink, discordPlain } from "../../render/discord-text.ts";
import { joinLines, splitDigest } from "../../render/text/split-lines.ts";
import { CONTENT_CHARS, DESCRIPTION_CHARS, type DiscordBody, EMBED_CHARS_TOTAL } from "./discord-render.ts";

const LABEL_CHARS = 60;
const WORDS_CHARS = 110;
const COLOR = 0x3b82f6;
/** A forum post's name. */
const NAME_CHARS = 100;

interface Line {
  readonly event: OutboxEvent;
  /** In the embed. */
  readonly shown: string;
  /** In the content, should Discord refuse the embed. */
  readonly plain: string;
}

export function renderDiscordDigest(digest: Digest): readonly DigestPart[] {
  const { mentions = [] } = digest;
  const heading = discordLabel(digestHeading(digest), 200);
  const threadName = discordPlain(digestHeading(digest), NAME_CHARS);
  const lead = join([[...mentions, `**${heading}**`].join(" "), digestTopHeading(digest)]);
  const remainder = remainderOf(digest);
  // Both ways to show a message must hold all of its lines.
  const budgets = [EMBED_CHARS_TOTAL - remainder.length - 1, CONTENT_CHARS - lead.length - remainder.length - 2];
  const costs = ({ shown, plain }: Line) => [shown.length + 1, plain.length + 1];
  const messages = splitDigest(digest.top.map(lineOf(digest)), digest.rest.map(lineOf(digest)), costs, budgets);
  let next = 1;
  return messages.map((lines, index) => {
    const isFirst = index === 0;
    const content = isFirst ? lead : digestRange(digest, next, lines.length);
    const below = isFirst && remainder !== "" ? [remainder] : [];
    next += lines.length;
    const body: DiscordBody = {
      content,
      embeds: joinLines([...lines.map(({ shown }) => shown), ...below], DESCRIPTION_CHARS).map((description) => ({
        description,
        color: COLOR,
      })),
      plain: join([content, ...lines.map(({ plain }) => plain), ...below]),
      threadName,
      ...(isFirst && mentions.length > 0 ? { mentions } : {}),
    };
    return { events: lines.map(({ event }) => event), body: body as unknown as Json };
  });
}

const join = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

function remainderOf(digest: Digest): string {
  const said = digestRemainder(digest);
  if (said === undefined) return "";
  const where = digest.unlisted?.where ?? "";
  // A command stands between backticks, a page as it is, without a preview.
  const shown = isPage(where) ? `<${where.slice(0, 500)}>` : where === "" ? "" : `\`${where.replaceAll("`", "").slice(0, 400)}\``;
  return [said, shown].filter((part) => part !== "").join(" ");
}

const lineOf =
  (digest: Digest) =>
  (event: OutboxEvent): Line => {
    const { label, words, url } = digestLine(digest.read(event));
    const name = label || event.event.subject;
    const said = discordLabel(words, WORDS_CHARS);
    if (url === undefined) {
      const plain = discordLabel(name, LABEL_CHARS);
      return { event, shown: `• ${plain} ${said}`.trimEnd(), plain };
    }
    return { event, shown: `• ${discordLink(url, name, LABEL_CHARS)} ${said}`.trimEnd(), plain: `<${url}>` };
  };

/** What the channel hears when alerts are gathered from now on; the time is shown in the reader's own zone. */
export function renderDiscordAnnouncement(nextAtMs: number): DiscordBody {
  const content = `**Many at once**: next summary at <t:${Math.floor(nextAtMs / 1_000)}:t>`;
  return { content, embeds: [], plain: content, threadName: "Many alerts at once", isLocal: true };
}
