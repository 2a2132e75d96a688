/**
 * Writes a report as lines of plain text, at most 25 including its title. Each sink escapes and
 * formats them.
 */
import type { LinkList } from "../model/message.ts";
import type { ComparedCount, ReportView, WatchReport } from "../model/report.ts";
import { formatCompact, formatExact } from "./text/numbers.ts";
import { spellDay, spellPeriod } from "./text/times.ts";
import { cleanLine, unbroken } from "./text/clean-text.ts";
import { trimText } from "./text/trim-text.ts";

const MAX_WATCHES = 8;
const MAX_POSTS = 5;
const MAX_AUTHORS = 5;
const MAX_LABELS = 4;
const WORDS_CHARS = 90;

/** Returns "weekly · 20 Nov 09:00 to 27 Nov 09:00". */
export const reportTitle = ({ title, from, to, timezone }: ReportView): string =>
  `${title} · ${spellPeriod(Date.parse(from), Date.parse(to), timezone === "UTC" ? {} : { timezone })}`;

/** Returns the whole report, as `chirpwatch report` prints it. */
export const reportLines = (report: ReportView): readonly string[] => [
  ...reportFigures(report),
  ...reportPosts(report).people.map(({ name, url, note }) => `• ${name} · ${note} ${url}`),
];

/**
 * Returns the lines that stand above the top posts: watches, alerts that were not sent, authors and
 * shares.
 */
export function reportFigures(report: ReportView): readonly string[] {
  const { watches, top_posts: posts, top_authors: authors } = report;
  const hidden = watches.length - MAX_WATCHES;
  const lines = [
    ...watches.slice(0, MAX_WATCHES).map(watchLine),
    hidden > 0 ? `and ${hidden} more ${hidden === 1 ? "watch" : "watches"}` : "",
    watches.slice(0, MAX_WATCHES).some(isCompared) ? BRACKETS : "",
    lostLine(report),
    markedLine(report),
    authors.length === 0
      ? ""
      : `Top authors: ${authors.slice(0, MAX_AUTHORS).map(authorText).join(", ")}`,
    ...report.shares.slice(0, MAX_LABELS).map(shareLine),
    posts.length === 0 ? "" : "Top posts, as last seen:",
  ];
  return lines.filter((line) => line !== "");
}

/** Returns the top posts as list entries, each with a link. */
export const reportPosts = ({ top_posts: posts, timezone }: ReportView): LinkList => ({
  people: posts.slice(0, MAX_POSTS).map((post) => ({
    name: trimText(cleanLine(post.text), WORDS_CHARS) || `a post by @${post.author}`,
    url: post.url,
    note: postNote(post, timezone),
  })),
  more: 0,
  hasPlainLinks: true,
});

/** Says what stands in brackets behind the numbers of a watch. */
const BRACKETS = "In brackets: the change from the period before";

const isCompared = ({ read, filtered, alerted }: WatchReport): boolean =>
  [read, filtered, alerted].some((count) => typeof count?.before === "number");

function watchLine({ watch, read, filtered, alerted, days }: WatchReport): string {
  const counts = [
    `${formatExact(alerted.count)} ${alerted.count === 1 ? "alert" : "alerts"}${changeText(alerted)}`,
    ...(read === null ? [] : [`${formatExact(read.count)} read${changeText(read)}`]),
    ...(filtered === null
      ? []
      : [`${formatExact(filtered.count)} filtered${changeText(filtered)}`]),
  ];
  // The bars of all watches have the same length, so they stand as a column before the names.
  const bars = days.length < 2 ? "" : `${barsOf(days.map(({ count }) => count))}  `;
  return `${bars}${watch}: ${counts.join(", ")}`;
}

/**
 * Returns the difference from the previous period: " (+12)". Empty if the data of the previous
 * period is incomplete.
 */
function changeText({ count, before }: ComparedCount): string {
  if (before === null) return "";
  return count === before
    ? " (same)"
    : ` (${count > before ? "+" : "−"}${formatExact(Math.abs(count - before))})`;
}

const BARS = "▁▂▃▄▅▆▇█";

/** Returns one bar character for each day, scaled to the day with the largest count. */
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

/** Returns what people said about the alerts; empty if nobody said anything. */
function markedLine({
  acknowledged,
  not_acknowledged: open,
  not_relevant: not,
}: ReportView): string {
  const of = formatExact(acknowledged.count + open.count);
  const by =
    not.top_author === ""
      ? ""
      : `, ${formatExact(not.by_top_author)} of them by @${cleanLine(not.top_author)}`;
  const parts = [
    acknowledged.count === 0 ? "" : `${formatExact(acknowledged.count)} of ${of} acknowledged`,
    not.count === 0 ? "" : `${formatExact(not.count)} of ${of} marked not relevant${by}`,
  ].filter((part) => part !== "");
  return parts.join("; ");
}

const authorText = ({ handle, name, alerted }: ReportView["top_authors"][number]): string =>
  `${cleanLine(name === handle ? `@${handle}` : `${trimText(name, 40)} (@${handle})`)} ${formatExact(alerted.count)}`;

function postNote(post: ReportView["top_posts"][number], timezone: string): string {
  const { author, likes, reposts, seen_at: seenAt } = post;
  const parts = [
    `@${author}`,
    `♥ ${formatCompact(likes)}`,
    ...(reposts === 0 ? [] : [`${formatCompact(reposts)} ${reposts === 1 ? "repost" : "reposts"}`]),
    spellDay(Date.parse(seenAt), timezone === "UTC" ? {} : { timezone }),
  ];
  return parts.map(unbroken).join(" · ");
}

/**
 * Returns the share of all alerts that each value of a label has. Values that the report does not
 * list are combined as "others".
 */
function shareLine({ label, count, values }: ReportView["shares"][number]): string {
  if (count === 0) return "";
  const others = count - values.reduce((sum, value) => sum + value.count, 0);
  const named = values.map((value) => [trimText(cleanLine(value.value), 30), value.count] as const);
  const shown = others === 0 ? named : [...named, ["others", others] as const];
  const shares = shown.map(([name, part]) => `${name} ${Math.round((part / count) * 100)}%`);
  return `By ${label}: ${shares.join(", ")}`;
}
