/**
 * Writes the plain text of a digest: its heading, the content of its lines, and a sentence about
 * alerts that are not listed. Each sink escapes and formats the text.
 */
import type { NeutralMessage } from "../model/message.ts";
import type { Digest } from "../model/sink.ts";
import { countsText } from "./text/kind-words.ts";
import { titleParts } from "./messages/title-parts.ts";
import { formatExact } from "./text/numbers.ts";
import { webUrl } from "./text/permalink.ts";
import { spellPeriod } from "./text/times.ts";
import { trimText } from "./text/trim-text.ts";

export interface DigestLine {
  /**
   * The person or thing that the line is about: "Alice (@alice)", or a whole title such as "@acme
   * has a new follower: Bob (@bob)".
   */
  readonly label: string;
  /** The text after the label, which sinks shorten; may be empty. */
  readonly words: string;
  /** Absent if there is no URL that can be shown. */
  readonly url?: string;
}

/**
 * The maximum length of an address that a line links to. Permalinks are shorter; other addresses
 * can have any length.
 */
const URL_CHARS = 300;

/**
 * Returns the line of one alert. If the title begins with the author, the author becomes the label,
 * and the word "posted" is omitted.
 */
export function digestLine(message: NeutralMessage): DigestLine {
  const { before, author, after } = titleParts(message);
  const link = linkOf(message.url ?? "");
  const body = message.body === "" ? (message.context?.body ?? "") : message.body;
  if (before !== "" || author === "") return { label: message.title, words: body, ...link };
  const deed = after.trim().replace(/:$/, "");
  const words = [deed === "posted" ? "" : deed, body].filter((part) => part !== "").join(": ");
  return { label: author, words, ...link };
}

export function linkOf(text: string): Pick<DigestLine, "url"> {
  const url = webUrl(text);
  return url === undefined || url.length > URL_CHARS ? {} : { url };
}

/** Returns the number of alerts in the digest, including those that are not listed. */
const countOf = ({ counts }: Digest): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Whether a sink has room for a text, as the sink writes it. */
type Fits = (text: string) => boolean;

/**
 * Returns "Mentions · 26 Nov 09:00 to 27 Nov 09:00 · 45 posts, 15 new followers, 1 milestone". If
 * it does not fit, its title is cut, because nothing else says the period and the counts.
 */
export function digestHeading(digest: Digest, fits: Fits = () => true): string {
  const counts = countsText(digest.counts, digest.region?.locale) || "nothing new";
  const rest = `${counts}${notesText(digest)}`;
  return withFittingTitle(digest.title, (title) => joined([nameOf(title, digest), rest]), fits);
}

/** Returns "Mentions · 26 Nov 09:00 to 27 Nov 09:00". If it does not fit, its title is cut. */
export const digestName = (digest: Digest, fits: Fits = () => true): string =>
  withFittingTitle(digest.title, (title) => nameOf(title, digest), fits);

const nameOf = (title: string, { period, region }: Digest): string =>
  joined([title, period === undefined ? "" : spellPeriod(period.fromMs, period.toMs, region)]);

const joined = (parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join(" · ");

/** A title keeps this much. If the rest leaves less room, the sink cuts the end of the heading. */
const MIN_TITLE_CHARS = 12;

/** Returns what `write` makes of the longest beginning of the title with which it fits. */
function withFittingTitle(title: string, write: (title: string) => string, fits: Fits): string {
  const whole = write(title);
  if (fits(whole)) return whole;
  let best = write(trimText(title, MIN_TITLE_CHARS));
  for (let [low, high] = [MIN_TITLE_CHARS + 1, title.length - 1]; low <= high; ) {
    const room = (low + high) >> 1;
    const text = write(trimText(title, room));
    if (fits(text)) [best, low] = [text, room + 1];
    else high = room - 1;
  }
  return best;
}

const notesText = (digest: Digest): string =>
  [deletedText(digest), causeText(digest), ...seriesTexts(digest)]
    .filter((part) => part !== "")
    .map((part) => `; ${part}`)
    .join("");

/** Returns a note on the number of deleted posts, which the digest does not show. */
const deletedText = ({ deleted = 0 }: Digest): string =>
  deleted === 0
    ? ""
    : `${deleted.toLocaleString("en-US")} ${deleted === 1 ? "was" : "were"} deleted`;

function causeText({ cause }: Digest): string {
  if (cause === "throttle") return "sent together because there were many at once";
  if (cause === "backfill") return "found by a backfill";
  if (cause === "snooze") return "they came during a snooze";
  return cause === "return" ? "they came while the watch was away" : "";
}

/**
 * Returns the notes of a digest that is part of a series: whether it continues an earlier digest,
 * and how many alerts are left for the next one.
 */
function seriesTexts({ series }: Digest): readonly string[] {
  if (series === undefined) return [];
  return [
    series.isContinued ? "continues the digest before" : "",
    series.left === 0 ? "" : `${series.left.toLocaleString("en-US")} more are in the next`,
  ];
}

/** A sentence below the lines of a digest's first message, and the place that it names. */
export interface DigestNote {
  readonly said: string;
  /** A web address or a command. */
  readonly where: string;
  /** The text of the link, for sinks that do not show its address. */
  readonly label: string;
}

/**
 * Returns the notes below a digest: how many alerts it does not list, and where people act on its
 * alerts.
 */
export function digestNotes({ unlisted, actionsUrl }: Digest): readonly DigestNote[] {
  const notes: DigestNote[] = [];
  if (unlisted !== undefined) {
    const { count, where } = unlisted;
    const said =
      count === 1
        ? "Another one is not listed here:"
        : `Another ${formatExact(count)} are not listed here:`;
    notes.push({ said, where, label: "see them all" });
  }
  if (actionsUrl !== undefined)
    notes.push({ said: "Act on these alerts:", where: actionsUrl, label: "open them" });
  return notes;
}

/**
 * Returns which alerts of the digest a further message lists: "11 to 60 of 595". `first` counts
 * from 1.
 */
export const digestRange = (digest: Digest, first: number, count: number): string =>
  [first, "to", first + count - 1, "of", countOf(digest)]
    .map((part) => part.toLocaleString("en-US"))
    .join(" ");

/**
 * Whether `where`, the place that lists the remaining alerts, is a web address. Otherwise it is a
 * command.
 */
export const isPage = (where: string): boolean => /^https?:\/\//.test(where);
