/** What a digest says, as plain text: its heading, one line for each alert, and where the rest is. Each sink escapes and lays it out. */
import type { NeutralMessage } from "../model/message.ts";
import type { Digest } from "../model/sink.ts";
import { webUrl } from "./text/permalink.ts";
import { titleParts } from "./messages/title-parts.ts";

export interface DigestLine {
  /** Who, or what: "Alice (@alice)", "@acme has a new follower: Bob (@bob)". */
  readonly label: string;
  /** The first words of it; may be empty. */
  readonly words: string;
  /** Absent where there is none that can be shown. */
  readonly url?: string;
}

/** Permalinks are shorter; one of a stranger may be as long as it likes. */
const URL_CHARS = 300;

/** One alert. Where the title begins with the author, "posted" goes without saying. */
export function digestLine(message: NeutralMessage): DigestLine {
  const { before, author, after } = titleParts(message);
  const url = webUrl(message.url ?? "");
  const link = url === undefined || url.length > URL_CHARS ? {} : { url };
  const body = message.body === "" ? (message.context?.body ?? "") : message.body;
  if (before !== "" || author === "") return { label: message.title, words: body, ...link };
  const deed = after.trim().replace(/:$/, "");
  const words = [deed === "posted" ? "" : deed, body].filter((part) => part !== "").join(": ");
  return { label: author, words, ...link };
}

/** All that it counts, listed or not. */
const countOf = ({ top, rest, unlisted }: Digest): number => top.length + rest.length + (unlisted?.count ?? 0);

/** "595 alerts, sent together because there were many at once". */
export const digestHeading = (digest: Digest): string => `${causeText(digest)}${seriesText(digest)}${deletedText(digest)}`;

/** What is gone is counted, and says nothing any more. */
const deletedText = ({ deleted = 0 }: Digest): string =>
  deleted === 0 ? "" : `; ${deleted.toLocaleString("en-US")} ${deleted === 1 ? "was" : "were"} deleted`;

function causeText(digest: Digest): string {
  const { cause, top, rest } = digest;
  const count = `${countOf(digest).toLocaleString("en-US")} alerts`;
  if (cause === undefined) return count;
  if (cause === "throttle") return `${count}, sent together because there were many at once`;
  if (cause === "schedule") return `${count} in this digest`;
  // Other watches that found one of them too are named beside it; they were not away.
  const away = [...top, ...rest][0]?.event.watch ?? "their watch";
  if (cause === "backfill") return `${count} from the past of ${away}`;
  return `${count} that came while ${away} was away`;
}

/** Of more alerts than one digest takes. */
function seriesText({ series }: Digest): string {
  if (series === undefined) return "";
  const before = series.isContinued ? ", which continues the digest before" : "";
  return `${before}${series.left === 0 ? "" : `; ${series.left.toLocaleString("en-US")} more are in the next`}`;
}

/** What stands above the lines of a first message that does not list everything. */
export const digestTopHeading = ({ top }: Digest): string => (top.length === 0 ? "" : `The ${top.length} most seen:`);

const unlistedText = (count: number): string =>
  count === 1 ? "Another one is not listed here:" : `Another ${count.toLocaleString("en-US")} are not listed here:`;

/** What follows the lines of the first message; undefined where they are all. */
export function digestRemainder({ top, rest, unlisted }: Digest): string | undefined {
  const parts = [
    top.length === 0 || rest.length === 0 ? "" : `${rest.length.toLocaleString("en-US")} more ${rest.length === 1 ? "follows" : "follow"}.`,
    unlisted === undefined ? "" : unlistedText(unlisted.count),
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** "11 to 60 of 595". */
export const digestRange = (digest: Digest, first: number, count: number): string =>
  [first, "to", first + count - 1, "of", countOf(digest)].map((part) => part.toLocaleString("en-US")).join(" ");

/** Where a person can go; else it is a command. */
export const isPage = (where: string): boolean => /^https?:\/\//.test(where);
