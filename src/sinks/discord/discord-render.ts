/**
 * Lays out a Discord message: an embed for each alert, or only links if the sink has `style: link`,
 * and a plain text that is sent if Discord refuses the embeds. `discord-digest.ts` lays out lists,
 * `discord.ts` sends. Pure.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { Batch, OutboxEvent } from "../../model/sink.ts";
import type { Moment } from "../../model/template.ts";
import { discordLabel, discordLink, discordPlain, discordText } from "../../render/discord-text.ts";
import { fitPieces } from "../../render/text/fit-pieces.ts";
import { fitForms } from "../../render/text/fit-forms.ts";
import { webUrl } from "../../render/text/permalink.ts";
import { cardsOf } from "../../render/people.ts";
import { moreText, shorterList } from "../../render/text/people-text.ts";
import {
  factLine,
  headingOf,
  plainMessage,
  summaryLine,
  watchLine,
} from "../../render/messages/plain-message.ts";
import { type ColorRule, discordColor, ruleColor } from "./discord-colors.ts";
import { postName, type TagRule, tagRule, tagsOf } from "./discord-tags.ts";
import { titleWithoutAuthor } from "../../render/messages/title-parts.ts";

/** https://discord.com/developers/docs/resources/message#create-message */
export const CONTENT_CHARS = 2_000;
/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
export const EMBEDS = 10;
export const EMBED_CHARS_TOTAL = 6_000;
const TITLE_CHARS = 256;
const NAME_CHARS = 256;
export const DESCRIPTION_CHARS = 4_096;
/** The limit is 2,048, but a footer should be one line. */
const FOOTER_CHARS = 200;
const URL_CHARS = 1_000;
const LINE_CHARS = 240;
/** Space for a text such as "and 1234 more". */
const MORE_CHARS = 24;

/**
 * Discord shows up to this many embeds with the same URL as a single embed with several pictures.
 */
const GALLERY = 4;

export type Embed = {
  readonly author?: { readonly name: string; readonly url?: string; readonly icon_url?: string };
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly image?: { readonly url: string };
  readonly color?: number;
  readonly footer?: { readonly text: string };
  readonly timestamp?: string;
};

/**
 * The body of a message, which is stored and not rendered again. It therefore contains the fallback
 * `plain`.
 */
export interface DiscordBody {
  readonly content: string;
  readonly embeds: readonly Embed[];
  /** The whole message as content, if Discord refuses the embeds. */
  readonly plain: string;
  /** The name of the post that the message opens, if the channel is a forum. */
  readonly threadName: string;
  /** The tags of that post, by name or id. Absent if the post gets none. */
  readonly tags?: readonly string[];
  /**
   * The roles and users that the content mentions, written as in the content. Absent if there are
   * none.
   */
  readonly mentions?: readonly string[];
  /**
   * Whether the message is only for this channel and is not published to the channel's followers.
   */
  readonly isLocal?: boolean;
  /** Whether the message is a reply to an earlier one, such as the alert that it follows up. */
  readonly isReply?: boolean;
  /** Whether the message has buttons, which are added when it is sent or edited. */
  readonly hasButtons?: true;
}

/** The settings of the sink that decide what messages look like. */
export interface DiscordStyle {
  readonly style: "embed" | "link";
  readonly color?: readonly ColorRule[] | undefined;
  readonly forum?: { readonly tags: readonly (string | TagRule)[] } | undefined;
}

export const tagsIn = (
  forum: DiscordStyle["forum"],
  events: readonly OutboxEvent[],
): readonly string[] =>
  tagsOf(
    (forum?.tags ?? []).map(tagRule),
    events.map(({ event }) => event),
  );

interface Entry {
  readonly id: string;
  readonly color: number;
  readonly message: NeutralMessage;
}

/** Renders a message with at most `EMBEDS` alerts. */
export function renderDiscord(
  batch: Batch,
  { style, color = [], forum }: DiscordStyle,
): DiscordBody {
  const { mentions = [] } = batch;
  const cards = cardsOf(batch);
  const entries = cards.map(({ events: [{ event }], message }) => ({
    id: event.subject || event.id,
    color: ruleColor(color, event) ?? discordColor(event.type, message.severity),
    message,
  }));
  const heading = discordLabel(headingOf(batch, entries.length), LINE_CHARS);
  const lead = [...mentions, heading].filter((part) => part !== "").join(" ");
  const [first] = cards;
  const threadName = (first === undefined ? "" : postName(first)) || "Alert";
  const plain = plainContent(lead, entries);
  const followUp = batch.isFollowUp === true ? { isLocal: true, isReply: true } : {};
  const tags = tagsIn(forum, batch.events);
  const shared = {
    plain,
    threadName,
    ...(tags.length === 0 ? {} : { tags }),
    ...(mentions.length === 0 ? {} : { mentions }),
    ...followUp,
  };
  if (style === "link") return { content: linkContent(lead, entries), embeds: [], ...shared };
  return { content: lead, embeds: embedsOf(entries), ...shared };
}

// ---- one embed per alert
// ----------------------------------------------------------------------------

/**
 * Returns an embed for each alert. An alert's second and further pictures become embeds with the
 * alert's URL, because Discord shows embeds with the same URL as one embed with several pictures.
 */
function embedsOf(entries: readonly Entry[]): readonly Embed[] {
  let room = EMBEDS - entries.length;
  return entries.flatMap((entry, index): readonly Embed[] => {
    const url = distinctUrl(entry.message.url, index);
    const pictures = entry.message.media.flatMap((one) => shortUrl(one.url) ?? []);
    const [first, ...more] = pictures.slice(0, url === undefined ? 1 : Math.min(GALLERY, 1 + room));
    room -= more.length;
    const hidden = entry.message.media.length - (first === undefined ? 0 : 1 + more.length);
    const embed = embedOf(entry, {
      url,
      hidden,
      share: Math.floor(EMBED_CHARS_TOTAL / entries.length),
    });
    const gallery = more.map((image) => ({
      ...(url === undefined ? {} : { url }),
      image: { url: image },
    }));
    return [{ ...embed, ...(first === undefined ? {} : { image: { url: first } }) }, ...gallery];
  });
}

interface Place {
  readonly url: string | undefined;
  /** The number of pictures and videos that are not shown. */
  readonly hidden: number;
  /** How many characters this embed may use. All embeds of a message share `EMBED_CHARS_TOTAL`. */
  readonly share: number;
}

function embedOf({ color, message }: Entry, { url, hidden, share }: Place): Embed {
  const title = discordLabel(titleWithoutAuthor(message), Math.min(TITLE_CHARS, share / 4));
  const author = authorOf(message, Math.min(NAME_CHARS, share / 6));
  const footer = discordPlain(footerOf(message, hidden), Math.min(FOOTER_CHARS, share / 6));
  const room = share - title.length - (author?.name.length ?? 0) - footer.length;
  // A title is the link to the post; without a title, the description has it.
  const link = title === "" && url !== undefined ? discordLink(url, "Open", LINE_CHARS) : "";
  const said = descriptionOf(message, link, Math.min(DESCRIPTION_CHARS, room));
  // Discord shows the time below every embed, so the description contains it only if an embed would
  // otherwise have no text.
  const description = said === "" && title === "" ? timeToken(message.occurredAtMs) : said;
  return {
    ...(author === undefined ? {} : { author }),
    ...(title === "" ? {} : { title }),
    ...(url === undefined ? {} : { url }),
    ...(description === "" ? {} : { description }),
    color,
    ...(footer === "" ? {} : { footer: { text: footer } }),
    ...(message.isTimed === false
      ? {}
      : { timestamp: new Date(message.occurredAtMs).toISOString() }),
  };
}

function authorOf({ author }: NeutralMessage, limit: number): Embed["author"] {
  if (author === undefined) return undefined;
  const name = discordPlain(
    author.name === author.handle || author.handle === ""
      ? author.name
      : `${author.name} (@${author.handle})`,
    limit,
  );
  const url = shortUrl(author.url);
  const icon = shortUrl(author.avatarUrl);
  if (name === "") return undefined;
  return {
    name,
    ...(url === undefined ? {} : { url }),
    ...(icon === undefined ? {} : { icon_url: icon }),
  };
}

const footerOf = (message: NeutralMessage, hidden: number): string =>
  [
    watchLine(message),
    message.severity === "info" ? "" : message.severity,
    hidden > 0 ? `+${hidden} more media` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");

const timeToken = (epochMs: number): string => `<t:${Math.floor(epochMs / 1_000)}:R>`;

/** Returns the text of an embed: the post, and below an empty line its links and facts. */
function descriptionOf(message: NeutralMessage, link: string, room: number): string {
  const act = actLink(message, room / 2);
  const quarter = (room - act.length) / 4;
  const open = link.length <= quarter ? link : "";
  const facts = discordLabel(factLine(message), quarter);
  const last = [open, contextLink(message, quarter), act, facts]
    .filter((part) => part !== "")
    .join(" · ");
  const quote = quoteOf(message, quarter);
  const body = bodyOf(message, room - last.length - quote.length - 3).trim();
  const list = listOf(message, room - last.length - quote.length - body.length - 4);
  const above = [body, list, quote].filter((part) => part !== "").join("\n");
  return [above, last].filter((part) => part !== "").join("\n\n");
}

/** Returns lines for as many accounts as fit, and a line that counts the others. */
function listOf({ list }: NeutralMessage, room: number): string {
  if (list === undefined) return "";
  for (let most = list.people.length; most >= 0; most -= 1) {
    const shown = shorterList(list, most);
    const lines = shown.people.map(({ name, url, note }) => {
      const profile = shortUrl(url);
      const label =
        profile === undefined
          ? discordLabel(name, 80) || "?"
          : discordLink(profile, name || "?", 80);
      return [`• ${label}`, discordLabel(note, 80)].filter((part) => part !== "").join(" · ");
    });
    const text = [...lines, moreText(shown)].filter((line) => line !== "").join("\n");
    if (text.length <= room) return text;
  }
  return "";
}

function bodyOf({ body, bodyPieces }: NeutralMessage, room: number): string {
  if (bodyPieces === undefined) return discordText(body, room);
  const moment = (one: Moment) => ({ shown: momentToken(one), units: momentToken(one).length });
  return fitPieces(bodyPieces, room, { text: discordText, show: (text) => text, moment }).join("");
}

/** https://discord.com/developers/docs/reference#message-formatting-timestamp-styles */
const TIMESTAMP_STYLES: Readonly<Record<Moment["style"], string>> = {
  datetime: "f",
  date: "D",
  time: "t",
  relative: "R",
};

const momentToken = ({ atMs, style }: Moment): string =>
  `<t:${Math.floor(atMs / 1_000)}:${TIMESTAMP_STYLES[style]}>`;

/** Returns the link to a related post that has no text to quote; "" if there is none. */
function contextLink({ context }: NeutralMessage, room: number): string {
  const url = shortUrl(context?.url);
  if (context === undefined || context.body !== "" || url === undefined) return "";
  const link = discordLink(url, context.label, 80);
  return link.length <= room ? link : "";
}

/** Returns the link to the page where people act on the alert; "" if the message has none. */
function actLink({ actionsUrl }: NeutralMessage, room: number): string {
  const url = shortUrl(actionsUrl);
  const link = url === undefined ? "" : discordLink(url, "Act on it", 80);
  return link.length <= room ? link : "";
}

function quoteOf({ context }: NeutralMessage, room: number): string {
  if (context === undefined || context.body === "") return "";
  const url = shortUrl(context.url);
  const label = discordLabel(context.label, 80);
  const linked = url === undefined ? label : discordLink(url, context.label, 80);
  const head = `> ${linked.length + 2 <= room ? linked : discordLabel(context.label, Math.min(80, room - 2))}`;
  const lines = discordText(context.body, Math.max(0, Math.floor((room - head.length - 3) / 1.5)))
    .trim()
    .replace(/\n+/g, "\n");
  const quoted = lines === "" ? "" : `\n> ${lines.replaceAll("\n", "\n> ")}`;
  return head.length + quoted.length <= room ? head + quoted : head;
}

/**
 * Returns a different URL for each alert, because Discord shows embeds with the same URL as one.
 */
function distinctUrl(text: string | undefined, index: number): string | undefined {
  const url = shortUrl(text);
  return url === undefined || index === 0 ? url : `${url}#${index + 1}`;
}

function shortUrl(text: string | undefined): string | undefined {
  const url = webUrl(text ?? "");
  return url === undefined || url.length > URL_CHARS ? undefined : url;
}

// ---- content alone
// ----------------------------------------------------------------------------

/**
 * Renders a message without embeds. The alert's permalink follows the shortened text, so that it is
 * never cut off.
 */
function plainContent(lead: string, entries: readonly Entry[]): string {
  const [only] = entries;
  if (entries.length !== 1 || only === undefined) return contentList(lead, entries.map(lineForms));
  const link = [only.message.url, only.message.actionsUrl]
    .flatMap((text) => shortUrl(text) ?? [])
    .map((url) => `<${url}>`)
    .join("\n");
  const body = discordText(
    plainMessage(only.message),
    CONTENT_CHARS - lead.length - link.length - 2,
  );
  return [lead, body, link].filter((part) => part !== "").join("\n");
}

function lineForms({ id, message }: Entry): readonly string[] {
  const url = shortUrl(message.url);
  const bare = discordLabel(id, 64);
  if (url === undefined) return [discordLabel(summaryLine(message), LINE_CHARS), bare];
  const body = discordLabel(message.body, 120);
  return [
    `${discordLink(url, message.title, 100)}${body === "" ? "" : ` ${body}`}`,
    `<${url}>`,
    bare,
  ];
}

/** Renders bare links, for which Discord shows its own previews. */
function linkContent(lead: string, entries: readonly Entry[]): string {
  const forms = entries.map(({ id, message }) => {
    const url = shortUrl(message.url);
    const title = discordLabel(message.title, LINE_CHARS);
    const act = actLink(message, URL_CHARS);
    const shown = [title || (url === undefined ? discordLabel(id, 64) : ""), url ?? "", act];
    return [
      ...(url === undefined && act === "" ? [] : [shown.filter((part) => part !== "").join("\n")]),
      ...(url === undefined ? [title || discordLabel(id, 64)] : [`${title}\n${url}`, url]),
      discordLabel(id, 64),
    ];
  });
  return contentList(lead, forms);
}

function contentList(lead: string, forms: readonly (readonly string[])[]): string {
  const { shown, left } = fitForms(
    forms,
    CONTENT_CHARS - lead.length - MORE_CHARS - 2,
    (line) => line.length + 1,
  );
  return [lead, ...shown, ...(left === 0 ? [] : [`and ${left} more`])]
    .filter((part) => part !== "")
    .join("\n");
}
