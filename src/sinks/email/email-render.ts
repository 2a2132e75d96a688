/**
 * Lays out a mail: a subject, and the same lines as plain text and as HTML. In HTML, texts from
 * posts and profiles are escaped completely. Pure.
 */
import type { Batch, Digest, DigestPart } from "../../model/sink.ts";
import { digestName } from "../../render/digest-text.ts";
import { type Card, cardsOf } from "../../render/people.ts";
import { headingOf } from "../../render/messages/plain-message.ts";
import {
  announcementLine,
  fitCards,
  headingLine,
  headingWithin,
  plainLine,
  type RichCard,
  type RichLine,
  richDigest,
  type Span,
} from "../../render/rich-lines.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { ownValue } from "../../model/own-value.ts";
import { spellOut } from "../../model/template.ts";

/**
 * The maximum size of the HTML. Gmail cuts off a mail at about 102 KB:
 * https://support.google.com/mail/thread/7121412
 */
const HTML_BYTES = 90_000;
const SUBJECT_CHARS = 150;
/** The maximum length of the digest's name in the subjects of its second and further mails. */
const NAME_CHARS = 100;
/** A mail shows at most this many alerts in full. If there are more, they are sent as a list. */
export const MAX_MAIL_CARDS = 10;

/** The body of a message, which is stored and sent unchanged in every attempt. */
export type EmailBody = { readonly subject: string; readonly text: string; readonly html: string };

/** Renders a mail with at most `MAX_MAIL_CARDS` alerts. */
export function renderEmail(batch: Batch): EmailBody {
  const [card, ...others] = cardsOf(batch);
  const title = others.length === 0 && card !== undefined ? subjectOf(card) : "";
  const subject = [headingOf(batch, others.length + 1), title]
    .filter((part) => part !== "")
    .join(": ");
  const heading = headingLine(batch);
  const layOut = (cards: readonly RichCard[]) =>
    mailOf(subject, [...(heading === undefined ? [] : [{ lines: [heading] }]), ...cards]);
  return layOut(fitCards(batch, (cards) => Buffer.byteLength(layOut(cards).html) <= HTML_BYTES));
}

export const renderEmailDigest = (digest: Digest): Iterable<DigestPart> =>
  richDigest(
    digest,
    {
      costs: (line) => [Buffer.byteLength(htmlLine(line)) + 1],
      budgets: [HTML_BYTES - Buffer.byteLength(mailOf("", []).html)],
    },
    (lines, isFirst) => mailOf(digestSubject(digest, lines, isFirst), [{ lines }]),
  );

export function renderEmailAnnouncement(nextAtMs: number): EmailBody {
  const line = announcementLine(nextAtMs);
  return mailOf(plainLine(line), [{ lines: [line] }]);
}

/** Returns the mail with a line below it, which is no part of the alerts. */
export function withEmailFooter({ subject, text, html }: EmailBody, footer: string): EmailBody {
  const line: RichLine = { kind: "footer", spans: [{ text: footer }] };
  const end = PAGE[1] ?? "";
  return {
    subject,
    text: `${text.trimEnd()}\n\n${footer}\n`,
    html: `${html.slice(0, -end.length)}\n${htmlLine(line)}${end}`,
  };
}

/**
 * Returns the alert's title, followed by the post's text unless a template sets the title. With the
 * text, mails about the same account have different subjects.
 */
function subjectOf({ events: [{ event, wording }], message: { title, body } }: Card): string {
  const isTitleWorded = spellOut(wording?.title ?? []).trim() !== "";
  return event.body.tweet === undefined || body === "" || isTitleWorded
    ? title
    : `${title}: ${body}`;
}

/**
 * Returns the subject of one mail of a digest. The first mail's subject is its first line; further
 * mails have the digest's name and say which part they are.
 */
function digestSubject(digest: Digest, [first]: readonly RichLine[], isFirst: boolean): string {
  if (isFirst) return headingWithin(digest, SUBJECT_CHARS);
  const said = first === undefined ? "" : lineText(first);
  const name = digestName(digest, (text) => cleanLine(text).length <= NAME_CHARS);
  return `${trimText(cleanLine(name), NAME_CHARS)} · ${said}`;
}

type Section = Pick<RichCard, "lines"> & { readonly imageUrl?: string | undefined };

function mailOf(subject: string, sections: readonly Section[]): EmailBody {
  const text = sections.map(({ lines }) => lines.map(textLine).join("\n")).join("\n\n");
  return {
    subject: trimText(cleanLine(subject), SUBJECT_CHARS) || "Alert",
    text: `${text}\n`,
    html: PAGE.join(withoutRepetition(subject, sections).map(htmlSection).join("\n")),
  };
}

/** Removes the first line if it repeats the subject, which mail programs show above the HTML. */
function withoutRepetition(subject: string, sections: readonly Section[]): readonly Section[] {
  const [first, ...others] = sections;
  const [line, ...lines] = first?.lines ?? [];
  const isRepeated = line !== undefined && lineText(line) === cleanLine(subject);
  if (first === undefined || !isRepeated || lines.length === 0 || subject.length > SUBJECT_CHARS)
    return sections;
  // If only a footer remains, it is shown in the size of normal text.
  const isAlone = lines.every(({ kind }) => kind === "footer");
  const shown = isAlone ? lines.map((one): RichLine => ({ ...one, kind: "body" })) : lines;
  return [{ ...first, lines: shown }, ...others];
}

const lineText = ({ spans }: RichLine): string => cleanLine(spans.map(({ text }) => text).join(""));

const textLine = (line: RichLine): string =>
  line.isApart === true ? `\n${plainLine(line)}` : plainLine(line);

const PAGE = [
  '<!doctype html>\n<html><body style="font-family:sans-serif;font-size:15px;line-height:1.4;color:#1f2933;max-width:640px">\n',
  "\n</body></html>\n",
];

function htmlSection({ lines, imageUrl }: Section): string {
  const shown = lines.map(htmlLine);
  const image =
    imageUrl === undefined
      ? []
      : [
          `<p><img src="${escapeHtml(imageUrl)}" alt="picture of the post" style="max-width:100%"></p>`,
        ];
  return `<div style="margin:0 0 24px">\n${[...shown.slice(0, -1), ...image, ...shown.slice(-1)].join("\n")}\n</div>`;
}

function htmlLine({ kind, spans }: RichLine): string {
  const inner = spans.map(htmlSpan).join("");
  return kind === "quote"
    ? `<blockquote style="margin:8px 0;padding-left:12px;border-left:3px solid #cbd2d9">${inner}</blockquote>`
    : `<p style="${STYLES[kind]}">${inner}</p>`;
}

const STYLES: Readonly<Record<Exclude<RichLine["kind"], "quote">, string>> = {
  heading: "margin:0 0 8px",
  title: "margin:0 0 6px",
  body: "margin:0 0 6px",
  section: "margin:16px 0 6px",
  // The further lines of an entry begin below its text, not below its bullet.
  item: "margin:0 0 4px;padding-left:24px;text-indent:-12px",
  footer: "margin:8px 0 0;font-size:13px;color:#616e7c",
};

function htmlSpan({ text, url, isBold }: Span): string {
  const shown = escapeHtml(text).replaceAll("\n", "<br>\n");
  const linked = url === undefined ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`;
  return isBold === true ? `<b>${linked}</b>` : linked;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ownValue(ENTITIES, char) ?? char);
