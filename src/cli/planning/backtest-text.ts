/** Formats a backtest for people. Reads nothing itself. */
import type {
  AlertView,
  BacktestSink,
  BacktestView,
  BacktestWatch,
  ChangedAlerts,
} from "../../operate/backtest/backtest-view.ts";
import type { SentDifference } from "../../operate/backtest/sent-differences.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { formatCount, formatTable, plural } from "../terminal/table.ts";

const MAX_REASONS = 5;
const MAX_SENT = 10;
const DAY_MS = 86_400_000;

export function formatBacktest(view: BacktestView): string {
  const parts = [
    `From ${timeText(view.from)} to ${timeText(view.to)}: the active configuration, and the tried one.`,
    watchTable(view),
    reasons(view.watches),
    sinkTable(view.sinks),
    days(view.sinks),
    changes("Added", view.added),
    changes("Gone", view.gone),
    changes("Moved to another sink", view.moved),
    view.alerts.length === 0
      ? "No alerts."
      : ["The first alerts:", ...view.alerts.map(alertText)].join("\n"),
    sentText(view.sent),
    unknown(view.limits),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Formats only what changes: the counts of each sink, and the alerts that differ. */
export const formatChangedMessages = (view: BacktestView): string =>
  [
    `Messages from ${timeText(view.from)} to ${timeText(view.to)}, with the active configuration and with the other one:`,
    sinkTable(view.sinks),
    changes("Added", view.added),
    changes("Gone", view.gone),
    changes("Moved to another sink", view.moved),
    unknown(view.limits),
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const unknown = (limits: readonly string[]): string =>
  ["Not known:", ...limits.map((limit) => `  ${limit}`)].join("\n");

const timeText = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;
const countText = (count: number | undefined): string =>
  count === undefined ? "-" : formatCount(count);

const watchTable = ({ watches, from, to }: BacktestView): string =>
  formatTable(
    [
      { title: "WATCH" },
      { title: "READ", align: "right" },
      { title: "ALERTED", align: "right" },
      { title: "TRIED: READ", align: "right" },
      { title: "ALERTED", align: "right" },
      { title: "" },
    ],
    watches.map((one) => [
      one.watch,
      countText(one.before?.read),
      countText(one.before?.alerted),
      countText(one.after?.read),
      one.unread.length === 0
        ? countText(one.after?.alerted)
        : `at least ${countText(one.after?.alerted)}`,
      unreadText(one, Date.parse(to) - Date.parse(from)),
    ]),
  );

/** Says how many targets were never read, and what reading them back costs. */
function unreadText(
  { targets, unread, backfill_requests: requests }: BacktestWatch,
  periodMs: number,
): string {
  if (unread.length === 0) return "";
  const never = `${formatCount(unread.length)} of ${plural(targets, "target")} never read`;
  return requests === null
    ? never
    : `${never}; a backfill of ${plural(Math.max(1, Math.round(periodMs / DAY_MS)), "day")} costs about ${plural(requests, "request")}`;
}

const reasons = (watches: readonly BacktestWatch[]): string =>
  watches
    .flatMap(({ watch, after }) =>
      after === null || after.reasons.length === 0
        ? []
        : [
            [
              `${watch}, not alerted:`,
              ...after.reasons
                .slice(0, MAX_REASONS)
                .map(({ reason, count }) => `  ${formatCount(count)}  ${cleanLine(reason)}`),
            ].join("\n"),
          ],
    )
    .join("\n");

const sinkTable = (sinks: readonly BacktestSink[]): string =>
  formatTable(
    [
      { title: "SINK" },
      { title: "ALERTS", align: "right" },
      { title: "MESSAGES", align: "right" },
      { title: "TRIED: ALERTS", align: "right" },
      { title: "MESSAGES", align: "right" },
      { title: "BUSIEST HOUR" },
    ],
    sinks.map(({ sink, before, after, busiest_hour: busiest }) => [
      sink,
      countText(before?.alerts),
      before === null ? "-" : `about ${formatCount(before.messages)}`,
      countText(after?.alerts),
      after === null ? "-" : `about ${formatCount(after.messages)}`,
      busiest === null ? "-" : `${timeText(busiest.from)}: ${plural(busiest.alerts, "alert")}`,
    ]),
  );

const days = (sinks: readonly BacktestSink[]): string =>
  formatTable(
    [
      { title: "DAY" },
      { title: "SINK" },
      { title: "ALERTS", align: "right" },
      { title: "MESSAGES", align: "right" },
    ],
    sinks.flatMap(({ sink, days: own }) =>
      own.map(({ day, alerts, messages }) => [
        day,
        sink,
        formatCount(alerts),
        `about ${formatCount(messages)}`,
      ]),
    ),
  );

function changes(title: string, { count, alerts }: ChangedAlerts): string {
  if (count === 0) return "";
  const rest = count - alerts.length;
  return [
    `${title}: ${plural(count, "alert")}`,
    ...alerts.map(changeText),
    ...(rest > 0 ? [`  and ${formatCount(rest)} more`] : []),
  ].join("\n");
}

const changeText = ({ at, watch, title, before, after }: AlertView): string =>
  `  ${timeText(at)}  ${watch}  ${cleanLine(title)}  ${before.join(", ") || "none"} -> ${after.join(", ") || "none"}`;

const alertText = ({ at, watch, title, text, url, after }: AlertView): string =>
  [
    `  ${timeText(at)}  ${watch}  to ${after.join(", ")}`,
    `    ${cleanLine(title)}`,
    ...(text === "" ? [] : [`    ${cleanLine(text)}`]),
    ...(url === null ? [] : [`    ${url}`]),
  ].join("\n");

function sentText(sent: readonly SentDifference[]): string {
  if (sent.length === 0) return "";
  const rest = sent.length - MAX_SENT;
  return [
    `Really sent otherwise than the replay of the active configuration: ${plural(sent.length, "alert")}`,
    ...sent
      .slice(0, MAX_SENT)
      .map(
        ({ watch, sink, replayed, sent: really, cause }) =>
          `  ${watch} at ${sink}: replayed ${replayed ?? "none"}, really ${really ?? "none"}: ${cleanLine(cause)}`,
      ),
    ...(rest > 0 ? [`  and ${formatCount(rest)} more`] : []),
  ].join("\n");
}
