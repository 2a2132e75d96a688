/**
 * Formats the status: the daemon's state first, then watches, sinks and the last alerts. The view
 * is passed in.
 */
import { cleanLine } from "../../render/text/clean-text.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { archiveText } from "../../server/contract/archive-words.ts";
import {
  escalationText,
  outcomesText,
  repeatsText,
  waitText,
} from "../../server/contract/delivery-words.ts";
import {
  enrichingWords,
  firstReadWords,
  notRelevantWords,
  slowedWords,
} from "../../server/contract/watch-words.ts";
import type { ReplicaView } from "../../server/schema/replica-view.ts";
import { unclaimedWords } from "../../server/contract/replica-words.ts";
import type { KeyView, QuotaView } from "../../server/schema/budget-view.ts";
import type { EventLine } from "../../server/schema/event-view.ts";
import type {
  GapView,
  ReloadView,
  StatusView,
  StoppedView,
} from "../../server/schema/status-view.ts";
import type { SinkView } from "../../server/schema/sink-view.ts";
import type { WatchView } from "../../server/schema/watch-view.ts";
import { formatSilenceTable } from "../terminal/silence-table.ts";
import { ageText, formatCount, formatTable, plural } from "../terminal/table.ts";

const MAX_EVENTS = 5;
/** The longest title shown. An ops alert is a whole sentence, which `events` shows completely. */
const MAX_TITLE_CHARS = 60;

export function formatStatus(view: StatusView | StoppedView, nowMs: number): string {
  const parts = [
    heading(view, nowMs),
    watchTable(view.watches, nowMs),
    targetTroubles(view.watches),
    unreadLists(view.watches),
    sinkTable(view.sinks, nowMs),
    waits(view.sinks, nowMs),
    repeats(view.sinks, nowMs),
    escalations(view.sinks, nowMs),
    view.silences.length === 0 ? "" : formatSilenceTable(view.silences, nowMs),
    archiveText(view.archive),
    events(view.recent_events, nowMs),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function gapsText([oldest, ...others]: readonly GapView[], nowMs: number): string {
  if (oldest === undefined) return "";
  const age = `; the oldest has been open for ${ageText(nowMs - Date.parse(oldest.opened_at))}`;
  return [oldest, ...others].some(({ cause }) => cause === "quota")
    ? `${age}, and the quota leaves no requests for more pages now`
    : age;
}

function heading(view: StatusView | StoppedView, nowMs: number): string {
  const lines = [
    `State: ${view.state.replace("_", " ")}${"version" in view ? runningSince(view) : ""}`,
  ];
  for (const reason of view.reasons) lines.push(`  ${reason}`);
  lines.push(...(view.replicas ?? []).map(replicaText));
  if ("version" in view) {
    if (view.unclaimed !== null) lines.push(`  ${unclaimedWords(view.unclaimed)}`);
    if (view.gaps > 0)
      lines.push(
        `  ${plural(view.gaps, "gap")} in the polled range, being filled${gapsText(view.open_gaps, nowMs)}`,
      );
    if (view.config.last_reload !== null) lines.push(...reloadLines(view.config.last_reload));
    if (view.config.failed_reload !== null)
      lines.push(...view.config.failed_reload.errors.map((error) => `  ${error}`));
  }
  lines.push(quotaText(view.quota));
  if (view.quota.keys.length > 1) lines.push(...view.quota.keys.map(keyLine));
  return lines.join("\n");
}

function replicaText({
  name,
  leads,
  answers,
  shares,
  polls_percent: percent,
  destinations,
}: ReplicaView): string {
  const which = [leads ? "leads" : "", answers ? "this one" : ""]
    .filter((text) => text !== "")
    .join(", ");
  const share = shares
    ? `${percent}% of the polls, ${plural(destinations, "destination")}`
    : "no share: its configuration or version differs";
  return `  replica ${name}${which === "" ? "" : ` (${which})`}: ${share}`;
}

/**
 * Formats what the last reload kept, reset and sent. Watches that it did not affect are left out.
 */
function reloadLines({ at, asked_by: by, memory, sends }: ReloadView): readonly string[] {
  const head = `  last reload ${at.slice(0, 19).replace("T", " ")} UTC (${by})`;
  if (memory.length === 0) return [`${head}: every watch continues unchanged`];
  return [
    `${head}:`,
    ...memory.map((text) => `    ${cleanLine(text)}`),
    ...sends.map((text) => `    sends: ${cleanLine(text)}`),
  ];
}

const runningSince = ({ version, uptime_seconds: uptime }: StatusView): string =>
  ` (version ${version}, up ${ageText(uptime * 1_000)})`;

function quotaText({ limit, spent, forecast, expected, period_end: end }: QuotaView): string {
  const of = limit === null ? "of an unknown quota" : `of ${formatCount(limit)}`;
  const all = expected === null ? "" : `, ${formatCount(expected)} expected`;
  const asked =
    forecast === null || expected === null || forecast <= expected
      ? ""
      : `; the schedules would take ${formatCount(forecast)}`;
  return `Requests this period: ${formatCount(spent)} ${of}${all} until ${end.slice(0, 10)}${asked}`;
}

const keyLine = ({ name, spent, limit, aside: suspendedBecause }: KeyView): string =>
  `  ${name}: ${formatCount(spent)}${limit === null ? "" : ` of ${formatCount(limit)}`}${suspendedBecause === "" ? "" : `, suspended: ${suspendedBecause}`}`;

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
      nextPollText(watch, nowMs),
      watch.sink || "-",
      watchNotes(watch, nowMs),
    ]),
  );

const watchNotes = (watch: WatchView, nowMs: number): string =>
  [
    watch.paused ? "paused" : "",
    slowedWords(watch.slowed, (iso) => `in ${ageText(Date.parse(iso) - nowMs)}`),
    notIndexed(watch),
    watch.problem,
    firstReadWords(watch),
    longReadText(watch),
    enrichingWords(watch),
    notRelevantWords(watch),
  ]
    .filter((text) => text !== "")
    .join("; ");

/**
 * Returns when a watch is polled next. If another replica polls the watch, only that replica knows
 * when, so its name is returned instead.
 */
function nextPollText({ next_poll_at: at, polled_by: others }: WatchView, nowMs: number): string {
  if (at !== null) return `in ${ageText(Date.parse(at) - nowMs)}`;
  return others.length === 0 ? "-" : `by ${others.join(", ")}`;
}

/** Describes the first read of the list that has most left to read. */
function longReadText({ member_lists: lists }: WatchView): string {
  const unread = lists.flatMap(({ first_read_members: read, ...list }) =>
    read === null ? [] : [{ ...list, read }],
  );
  const [first, ...others] = unread.toSorted((a, b) => leftOf(b) - leftOf(a));
  if (first === undefined) return "";
  const of = first.members === null ? "" : ` of ${formatCount(first.members)}`;
  const rest = others.length === 0 ? "" : `, and ${plural(others.length, "other list")}`;
  const effect = first.tells_newcomers ? "" : " members, no alerts until it is complete";
  return `first read ${others.length === 0 ? "" : `of ${first.target} `}${formatCount(first.read)}${of}${effect}${rest}`;
}

const leftOf = ({
  members,
  read,
}: {
  readonly members: number | null;
  readonly read: number;
}): number => (members ?? read) - read;

/** Lists the member lists that are not read in full every day because they are too long. */
function unreadLists(watches: readonly WatchView[]): string {
  const rows = watches.flatMap(({ id, member_lists: lists }) =>
    lists.flatMap(({ target, members, whole_read_every_seconds: everySeconds }) =>
      members === null || everySeconds !== null
        ? []
        : [
            [
              id,
              target,
              formatCount(members),
              "not every day: set full_read_every: 1d to change that",
            ],
          ],
    ),
  );
  if (rows.length === 0) return "";
  return formatTable(
    [
      { title: "WATCH" },
      { title: "LIST OF" },
      { title: "MEMBERS", align: "right" },
      { title: "READ IN FULL" },
    ],
    rows,
  );
}

/**
 * Counts the accounts that the service has not indexed. They are not listed as problems, because an
 * operator cannot change that.
 */
function notIndexed({ targets }: WatchView): string {
  const count = targets.filter(({ status }) => status === "not_indexed").length;
  return count === 0 ? "" : `${count} of ${plural(targets.length, "account")} not indexed`;
}

/** Lists the targets that need attention. */
function targetTroubles(watches: readonly WatchView[]): string {
  const rows = watches.flatMap(({ id, targets }) =>
    targets
      .filter(({ status }) => status !== "ok" && status !== "pending" && status !== "not_indexed")
      .map(({ name, status, reason }) => [id, name, status.replace("_", " "), reason]),
  );
  return rows.length === 0
    ? ""
    : formatTable(
        [{ title: "WATCH" }, { title: "ACCOUNT" }, { title: "STATUS" }, { title: "WHY" }],
        rows,
      );
}

const sinkTable = (sinks: readonly SinkView[], nowMs: number): string =>
  formatTable(
    [
      { title: "SINK" },
      { title: "TYPE" },
      { title: "TO" },
      { title: "WAITING", align: "right" },
      { title: "OLDEST" },
      { title: "SENT", align: "right" },
      { title: "DEAD", align: "right" },
      { title: "" },
    ],
    sinks.map((sink) => [
      sink.name,
      sink.type,
      sink.place || "-",
      formatCount(sink.waiting),
      sink.oldest_at === null ? "-" : ageText(nowMs - Date.parse(sink.oldest_at)),
      formatCount(sink.sent),
      formatCount(sink.dead),
      sink.breaker === "open" ? failingText(sink, nowMs) : "",
    ]),
  );

/**
 * Says why alerts wait. Alerts that wait because their sink fails are left out, because the sink's
 * row in the table says so.
 */
const waits = (sinks: readonly SinkView[], nowMs: number): string =>
  sinks
    .flatMap(({ name, waits: all }) =>
      all.filter(({ cause }) => cause !== "sink_failing").map((wait) => ({ name, wait })),
    )
    .map(
      ({ name, wait }) =>
        `${name}: ${formatCount(wait.count)} waiting, ${cleanLine(waitText(wait, timeText(nowMs)))}`,
    )
    .join("\n");

const repeats = (sinks: readonly SinkView[], nowMs: number): string =>
  sinks
    .flatMap(({ name, repeats: again }) =>
      again === null ? [] : [`${name}: ${repeatsText(again, timeText(nowMs))}`],
    )
    .join("\n");

const escalations = (sinks: readonly SinkView[], nowMs: number): string =>
  sinks
    .flatMap(({ name, escalations: all }) =>
      all.map((one) => `${name}: ${cleanLine(escalationText(one, timeText(nowMs)))}`),
    )
    .join("\n");

/** Returns a time such as `07:00 UTC (in 5h)`, preceded by the date unless it is today. */
const timeText = (nowMs: number) => (iso: string) => {
  const day =
    iso.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10) ? "" : `${iso.slice(0, 10)} `;
  return `${day}${iso.slice(11, 16)} UTC (in ${ageText(Date.parse(iso) - nowMs)})`;
};

function failingText(
  { reason, failing_since: since, next_attempt_at: next }: SinkView,
  nowMs: number,
): string {
  const lasting = since === null ? "" : ` for ${ageText(nowMs - Date.parse(since))}`;
  const again = next === null ? "" : `; next attempt in ${ageText(Date.parse(next) - nowMs)}`;
  return `takes no messages${lasting}: ${reason}${again}`;
}

function events(lines: readonly EventLine[], nowMs: number): string {
  if (lines.length === 0) return "No alerts yet.";
  const rows = lines
    .slice(0, MAX_EVENTS)
    .map((line) => [
      `${ageText(nowMs - Date.parse(line.detected_at))} ago`,
      line.watch || "chirpwatch",
      trimText(cleanLine(line.title), MAX_TITLE_CHARS),
      outcomesText(line, timeText(nowMs)),
    ]);
  return formatTable(
    [{ title: "LAST ALERTS" }, { title: "WATCH" }, { title: "" }, { title: "RESULT" }],
    rows,
  );
}
