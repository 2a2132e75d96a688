/** The status for people: state first, then watches, sinks and the last alerts. Reads nothing itself. */
import type { EventLine, KeyView, QuotaView, SinkView, StatusView, WatchView } from "../server/views.ts";
import { formatCount, formatTable, plural } from "./table.ts";

/** What is known without a daemon. */
export interface StoppedView extends Pick<StatusView, "reasons" | "quota" | "watches" | "sinks" | "recent_events"> {
  readonly state: "not_running";
}

const MOST_EVENTS = 5;

export function formatStatus(view: StatusView | StoppedView, nowMs: number): string {
  const parts = [
    heading(view),
    watchTable(view.watches, nowMs),
    targetTroubles(view.watches),
    sinkTable(view.sinks, nowMs),
    events(view.recent_events, nowMs),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function heading(view: StatusView | StoppedView): string {
  const lines = [`State: ${view.state.replace("_", " ")}${view.state === "not_running" ? "" : runningSince(view)}`];
  for (const reason of view.reasons) lines.push(`  ${reason}`);
  if (view.state !== "not_running") {
    if (view.gaps > 0) lines.push(`  ${plural(view.gaps, "gap")} in what was read, being filled`);
    if (view.config.failed_reload !== null) lines.push(...view.config.failed_reload.errors.map((error) => `  ${error}`));
  }
  lines.push(quotaLine(view.quota));
  if (view.quota.keys.length > 1) lines.push(...view.quota.keys.map(keyLine));
  return lines.join("\n");
}

const runningSince = ({ version, uptime_seconds: uptime }: StatusView): string => ` (version ${version}, up ${ageText(uptime * 1_000)})`;

function quotaLine({ limit, spent, forecast, expected, period_end: end }: QuotaView): string {
  const of = limit === null ? "of an unknown quota" : `of ${formatCount(limit)}`;
  const all = expected === null ? "" : `, ${formatCount(expected)} expected`;
  const asked = forecast === null || expected === null || forecast <= expected ? "" : `; the schedules ask for ${formatCount(forecast)}`;
  return `Requests this period: ${formatCount(spent)} ${of}${all} until ${end.slice(0, 10)}${asked}`;
}

const keyLine = ({ name, spent, limit, aside }: KeyView): string =>
  `  ${name}: ${formatCount(spent)}${limit === null ? "" : ` of ${formatCount(limit)}`}${aside === "" ? "" : `, set aside: ${aside}`}`;

const watchTable = (watches: readonly WatchView[], nowMs: number): string =>
  formatTable(
    [
      { title: "WATCH" },
      { title: "TYPE" },
      { title: "SCHEDULE" },
      { title: "ITEMS", align: "right" },
      { title: "REQUESTS", align: "right" },
      { title: "LAST POLL" },
      { title: "NEXT" },
      { title: "TO" },
      { title: "" },
    ],
    watches.map((watch) => [
      watch.id,
      watch.type,
      watch.schedule,
      formatCount(watch.known_items),
      formatCount(watch.requests_spent),
      watch.last_poll_at === null ? "-" : `${ageText(nowMs - Date.parse(watch.last_poll_at))} ago`,
      watch.next_poll_at === null ? "-" : `in ${ageText(Date.parse(watch.next_poll_at) - nowMs)}`,
      watch.sink || "-",
      [watch.paused ? "paused" : "", watch.problem].filter((text) => text !== "").join("; "),
    ]),
  );

/** Only what someone should look at. */
function targetTroubles(watches: readonly WatchView[]): string {
  const rows = watches.flatMap(({ id, targets }) =>
    targets
      .filter(({ status }) => status !== "ok" && status !== "pending")
      .map(({ name, status, reason }) => [id, name, status.replace("_", " "), reason]),
  );
  return rows.length === 0 ? "" : formatTable([{ title: "WATCH" }, { title: "ACCOUNT" }, { title: "STATUS" }, { title: "WHY" }], rows);
}

const sinkTable = (sinks: readonly SinkView[], nowMs: number): string =>
  formatTable(
    [
      { title: "SINK" },
      { title: "TYPE" },
      { title: "WAITING", align: "right" },
      { title: "OLDEST" },
      { title: "SENT", align: "right" },
      { title: "DEAD", align: "right" },
      { title: "" },
    ],
    sinks.map((sink) => [
      sink.name,
      sink.type,
      formatCount(sink.waiting),
      sink.oldest_at === null ? "-" : ageText(nowMs - Date.parse(sink.oldest_at)),
      formatCount(sink.sent),
      formatCount(sink.dead),
      sink.breaker === "open" ? `takes nothing: ${sink.reason}` : "",
    ]),
  );

function events(lines: readonly EventLine[], nowMs: number): string {
  if (lines.length === 0) return "No alerts yet.";
  const rows = lines
    .slice(0, MOST_EVENTS)
    .map((line) => [`${ageText(nowMs - Date.parse(line.detected_at))} ago`, line.watch || "chirpwatch", line.title]);
  return formatTable([{ title: "LAST ALERTS" }, { title: "WATCH" }, { title: "" }], rows);
}

/** The largest unit that says enough: `45s`, `12m`, `5h`, `3d`. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds}s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)}h` : `${Math.round(seconds / 86_400)}d`;
}
