/** Formats past events for people and for spreadsheets. */
import { cleanLine } from "../../render/text/clean-text.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { markText, notRelevantText } from "../../server/contract/delivery-words.ts";
import type { ReplayRecordView } from "../../server/schema/replay-view.ts";
import type { EventEntry } from "../../server/schema/event-view.ts";
import { formatCount, formatTable, plural } from "../terminal/table.ts";

const TEXT_CHARS = 200;

/**
 * Formats each event in up to three lines: its time, watch and title, then its text, then its
 * deliveries and its link.
 */
export function formatEvents(events: readonly EventEntry[]): string {
  if (events.length === 0) return "No event matches.";
  return [...events.map(eventBlock), `${plural(events.length, "event")}`].join("\n\n");
}

function eventBlock(event: EventEntry): string {
  const text = trimText(cleanLine(event.text), TEXT_CHARS);
  const lines = [
    `${shortTime(event.timestamp)}  ${watchOf(event) || event.type}  ${cleanLine(event.title)}`,
  ];
  if (text !== "") lines.push(`  ${text}`);
  lines.push(`  ${fateOf(event)}${event.url === null ? "" : `  ${cleanLine(event.url)}`}`);
  return lines.join("\n");
}

const watchOf = ({ data }: EventEntry): string =>
  typeof data["watch"] === "string" ? data["watch"] : "";

const fateOf = ({ deliveries, acknowledged, not_relevant: mark }: EventEntry): string =>
  [
    ...(deliveries.length === 0
      ? ["no sink"]
      : deliveries.map(({ sink, state }) => `${sink}: ${state}`)),
    ...(acknowledged === null ? [] : [cleanLine(markText(acknowledged))]),
    ...(mark === null ? [] : [cleanLine(notRelevantText(mark))]),
  ].join(", ");

const shortTime = (iso: string): string => iso.slice(0, 19).replace("T", " ");

/** Formats replays, a line for each, newest first. */
export function formatReplays(replays: readonly ReplayRecordView[]): string {
  if (replays.length === 0) return "Nothing was sent again.";
  return formatTable(
    ["WHEN", "WHO", "ALERTS", "WHAT"].map((title) => ({ title })),
    replays.map(({ at, action, detail }) => {
      const { by, alerts, ...rest } = detail as Readonly<Record<string, unknown>>;
      const facts = Object.entries(rest).filter(([, value]) => value !== null);
      const what = [
        action,
        ...facts.map(
          ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
        ),
      ];
      return [
        shortTime(at),
        typeof by === "string" ? by : "-",
        typeof alerts === "number" ? formatCount(alerts) : "-",
        what.join(" "),
      ];
    }),
  );
}

const COLUMNS = [
  "detected_at",
  "occurred_at",
  "watch",
  "type",
  "author",
  "text",
  "url",
  "deliveries",
  "id",
  "acknowledged_by",
  "acknowledged_at",
] as const;

/**
 * Formats events as CSV (RFC 4180). A cell that a spreadsheet would read as a formula begins with
 * an apostrophe.
 */
export function formatEventsCsv(events: readonly EventEntry[]): string {
  const rows = events.map((event) => {
    const { data, timestamp, type, author, text, url } = event;
    const deliveries = event.deliveries.map(({ sink, state }) => `${sink}:${state}`).join(" ");
    return [
      timestamp,
      data["occurred_at"],
      data["watch"],
      type,
      author,
      text === "" ? event.title : text,
      url ?? "",
      deliveries,
      data["id"],
      event.acknowledged?.by,
      event.acknowledged?.at,
    ];
  });
  return [COLUMNS, ...rows]
    .map((row) => row.map((cell) => csvCell(typeof cell === "string" ? cell : "")).join(","))
    .join("\r\n");
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
