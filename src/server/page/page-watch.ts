/** The page of one watch: its state, what it read, alerted and cost, and where its alerts go. */
import { html, type Html } from "../contract/html.ts";
import {
  enrichingWords,
  firstReadWords,
  notRelevantWords,
  slowedWords,
} from "../contract/watch-words.ts";
import { counted, countText, spanText, when } from "../contract/page-words.ts";
import type { WatchDaysView } from "../schema/report-view.ts";
import type { GapView } from "../schema/status-view.ts";
import type { TargetView, WatchView } from "../schema/watch-view.ts";
import { type Bar, barChart } from "./chart.ts";
import { card, facts, renderLayout, said } from "./layout.ts";
import { confirmForm } from "./page-forms.ts";
import { watchPill } from "./page-tables.ts";

/** A page of targets that are all well helps nobody; those with a problem come first. */
const MAX_TARGETS = 200;

export interface WatchPage {
  readonly watch: WatchView;
  readonly days: WatchDaysView["days"];
  readonly gaps: readonly GapView[];
  readonly nowMs: number;
  readonly done?: string | undefined;
}

const ROOT = "../";

export function renderWatchPage({ watch, days, gaps, nowMs, done }: WatchPage): string {
  const { id } = watch;
  return renderLayout({
    title: id,
    root: ROOT,
    nowMs,
    live: html`${said(done)}
${card(
  "watch",
  id,
  watch.type,
  html`<div class="inset">${watchPill(watch)}</div>${facts(factsOf(watch, days, nowMs))}
<p class="none"><a href="${ROOT}events?watch=${encodeURIComponent(id)}">its alerts</a></p>`,
)}
${charts(days)}
${gapList(gaps, nowMs)}
${targetTable(watch)}
${actions(watch)}`,
    footer: html`<a href="${ROOT}api/v1/watches/${encodeURIComponent(id)}/days">days as JSON</a>`,
  });
}

const DAYS_OF_WEEK = 7;

const factsOf = (
  watch: WatchView,
  days: WatchDaysView["days"],
  nowMs: number,
): (readonly [string, Html | string])[] => [
  [
    "Schedule",
    `${watch.schedule}${watch.priority === "normal" ? "" : `, ${watch.priority} priority`}`,
  ],
  ["Alerts go to", watch.sink === "" ? "no sink" : watch.sink],
  ["Last poll", when(watch.last_poll_at, nowMs, "not yet")],
  ["Next poll", watch.paused ? "when resumed" : when(watch.next_poll_at, nowMs)],
  ...(watch.polled_by.length === 0 ? [] : ([["Polled by", watch.polled_by.join(", ")]] as const)),
  ["Items known", countText(watch.known_items)],
  [
    "Requests of the last 7 days",
    countText(days.slice(-DAYS_OF_WEEK).reduce((sum, { requests }) => sum + requests, 0)),
  ],
  ["Requests of this period", countText(watch.requests_spent)],
  ...notes(watch, nowMs).map((note) => ["Note", note] as const),
];

const notes = (watch: WatchView, nowMs: number): readonly string[] =>
  [
    watch.problem,
    slowedWords(watch.slowed, (iso) => `in ${spanText(Date.parse(iso) - nowMs)}`),
    firstReadWords(watch),
    enrichingWords(watch),
    notRelevantWords(watch),
    ...watch.member_lists.map(({ target, members, first_read_members: read }) =>
      read === null
        ? `${target}: ${members === null ? "a long list" : `${countText(members)} members`}`
        : `first read of ${target}: ${countText(read)}${members === null ? "" : ` of ${countText(members)}`} members`,
    ),
  ].filter((note) => note !== "");

function charts(days: WatchDaysView["days"]): Html {
  const bars = (pick: (day: WatchDaysView["days"][number]) => number): readonly Bar[] =>
    days.map((day) => ({ day: day.day, count: pick(day) }));
  return html`<section class="card charts" aria-label="By day">
${barChart(
  "Read",
  "new items",
  bars(({ read }) => read),
)}
${barChart(
  "Alerted",
  "alerts",
  bars(({ alerted }) => alerted),
)}
${barChart(
  "Filtered",
  "items filtered",
  bars(({ filtered }) => filtered),
)}
${barChart(
  "Cost",
  "requests",
  bars(({ requests }) => requests),
)}
</section>`;
}

const CAUSES: Readonly<Record<GapView["cause"], string>> = {
  quota: "the quota leaves no requests for it",
  service: "the data service fails beyond the first page",
  depth: "newer posts use up the pages of each poll",
};

function gapList(gaps: readonly GapView[], nowMs: number): Html {
  if (gaps.length === 0) return html``;
  return card(
    "gaps",
    "Gaps in what was read",
    "filled as soon as possible",
    html`<ul class="changes">${gaps.map((gap) => html`<li>open since ${when(gap.opened_at, nowMs)}, ${counted(gap.polls, "poll")} without progress: ${CAUSES[gap.cause]}</li>`)}</ul>`,
  );
}

const CALM: readonly TargetView["status"][] = ["ok", "pending"];

function targetTable({ targets }: WatchView): Html {
  const inOrder = [...targets].sort(
    (a, b) => Number(CALM.includes(a.status)) - Number(CALM.includes(b.status)),
  );
  const left = inOrder.length - MAX_TARGETS;
  const rows = inOrder
    .slice(0, MAX_TARGETS)
    .map(
      ({ name, status, reason }) =>
        html`<tr><th scope="row">${name}</th><td data-label="State"><span class="pill ${CALM.includes(status) ? "good" : "warn"}">${status.replace("_", " ")}</span>${reason === "" ? undefined : html`<span class="sub">${reason}</span>`}</td></tr>`,
    );
  return card(
    "targets",
    "Targets",
    countText(targets.length),
    html`<table aria-labelledby="targets"><thead><tr><th scope="col">Target</th><th scope="col">State</th></tr></thead><tbody>${rows}</tbody></table>${left > 0 ? html`<p class="none">and ${counted(left, "more")} without a problem</p>` : undefined}`,
  );
}

function actions({ id, paused }: WatchView): Html {
  const pauseForm = paused
    ? confirmForm({
        summary: "Resume…",
        action: `${encodeURIComponent(id)}/resume`,
        explains:
          "The watch is polled again at once. What came while it was paused becomes alerts, unless you skip it.",
        fields: html`<label class="check"><input type="checkbox" name="from_now" value="true">Skip what came meanwhile</label>`,
        button: "Resume",
      })
    : confirmForm({
        summary: "Pause…",
        action: `${encodeURIComponent(id)}/pause`,
        explains:
          "The watch is not polled and costs nothing until it is resumed. Nothing is lost that the service still has then.",
        button: "Pause",
      });
  return html`<section aria-label="Actions">${pauseForm}
<p class="none links"><a href="${encodeURIComponent(id)}/test">Test it…</a><a href="${encodeURIComponent(id)}/backfill">Read its past…</a></p></section>`;
}
