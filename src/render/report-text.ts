/**
 * A report as lines of plain text: at most 25 with its title. Each sink escapes them and lays them
 * out.
 */
import type { ComparedCount, ReportView, WatchReport } from "../model/report.ts";
import { formatCompact, formatExact } from "./text/numbers.ts";
import { spellPeriod, spellTime } from "./text/times.ts";
import { cleanLine } from "./text/clean-text.ts";
import { trimText } from "./text/trim-text.ts";

const MAX_WATCHES = 8;
const MAX_POSTS = 5;
const MAX_AUTHORS = 5;
const MAX_LABELS = 4;
const WORDS_CHARS = 90;

/** "weekly · 20 Nov 09:00 to 27 Nov 09:00". */
export const reportTitle = ({ title, from, to, timezone }: ReportView): string =>
  `${title} · ${spellPeriod(Date.parse(from), Date.parse(to), timezone === "UTC" ? {} : { timezone })}`;

export function reportLines(report: ReportView): readonly string[] {
  const { watches, top_posts: posts, top_authors: authors } = report;
  const hidden = watches.length - MAX_WATCHES;
  const shownPosts = posts.slice(0, MAX_POSTS);
  const lines = [
    ...watches.slice(0, MAX_WATCHES).map(watchLine),
    hidden > 0 ? `and ${hidden} more ${hidden === 1 ? "watch" : "watches"}` : "",
    lostLine(report),
    authors.length === 0
      ? ""
      : `Top authors: ${authors.slice(0, MAX_AUTHORS).map(authorText).join(", ")}`,
    shownPosts.length === 0 ? "" : "Top posts, as last seen:",
    ...shownPosts.map((post) => postLine(post, report.timezone)),
    ...report.shares.slice(0, MAX_LABELS).map(shareLine),
  ];
  return lines.filter((line) => line !== "");
}

function watchLine({ watch, read, filtered, alerted, days }: WatchReport): string {
  const counts = [
    `${formatExact(alerted.count)} ${alerted.count === 1 ? "alert" : "alerts"}${changeText(alerted)}`,
    `${formatExact(read.count)} read${changeText(read)}`,
    `${formatExact(filtered.count)} filtered${changeText(filtered)}`,
  ];
  return `${watch}: ${counts.join(", ")}${days.length < 2 ? "" : `  ${barsOf(days.map(({ count }) => count))}`}`;
}

/** Against the period before: " (+12)". Empty where that is not whole. */
function changeText({ count, before }: ComparedCount): string {
  if (before === null) return "";
  return count === before
    ? " (same)"
    : ` (${count > before ? "+" : "−"}${formatExact(Math.abs(count - before))})`;
}

const BARS = "▁▂▃▄▅▆▇█";

/** A bar for each day. */
function barsOf(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  return counts
    .map(
      (count) =>
        BARS[count === 0 ? 0 : Math.max(1, Math.round((count / most) * (BARS.length - 1)))] ?? "",
    )
    .join("");
}

function lostLine({ deleted, silenced, given_up: dead }: ReportView): string {
  const parts = [
    deleted.count === 0 ? "" : `${formatExact(deleted.count)} deleted before they were sent`,
    silenced.count === 0 ? "" : `${formatExact(silenced.count)} silenced`,
    dead.count === 0 ? "" : `${formatExact(dead.count)} given up`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `Not sent: ${parts.join(", ")}`;
}

const authorText = ({ handle, name, alerted }: ReportView["top_authors"][number]): string =>
  `${cleanLine(name === handle ? `@${handle}` : `${trimText(name, 40)} (@${handle})`)} ${formatExact(alerted.count)}`;

function postLine(
  { author, text, url, likes, reposts, seen_at: seenAt }: ReportView["top_posts"][number],
  timezone: string,
): string {
  const seen = spellTime(Date.parse(seenAt), timezone === "UTC" ? {} : { timezone }, "date");
  const counts = [
    `♥ ${formatCompact(likes)}`,
    ...(reposts === 0 ? [] : [`${formatCompact(reposts)} reposts`]),
  ].join(", ");
  return `• ${counts} (${seen}) @${author}: ${trimText(cleanLine(text), WORDS_CHARS)} ${url}`;
}

function shareLine({ label, values }: ReportView["shares"][number]): string {
  const total = values.reduce((sum, { count }) => sum + count, 0);
  const shown = values.map(
    ({ value, count }) =>
      `${trimText(cleanLine(value), 30)} ${Math.round((count / Math.max(1, total)) * 100)}%`,
  );
  return total === 0 ? "" : `By ${label}: ${shown.join(", ")}`;
}
