/**
 * The overview: what needs attention first, then what is spent and alerted over time, watches,
 * sinks, silences, replicas and the configuration. It is readable without scripts.
 */
import { html, type Html } from "../contract/html.ts";
import { barChart, lineChart } from "./chart.ts";
import { card, facts, renderLayout, said } from "./layout.ts";
import { attention } from "./page-attention.ts";
import { reloadForm } from "./page-forms.ts";
import { silenceForm } from "./page-silence-form.ts";
import { silenceTable } from "./page-silences.ts";
import { eventList, sinkTable, watchTable } from "./page-tables.ts";
import { tiles } from "./page-tiles.ts";
import { spanText, when } from "../contract/page-words.ts";
import { unclaimedWords } from "../contract/replica-words.ts";
import type { QuotaView } from "../schema/budget-view.ts";
import type { ActivityView } from "../schema/report-view.ts";
import type { DaemonState, StatusView } from "../schema/status-view.ts";

const STATE: Readonly<
  Record<DaemonState, { readonly tone: string; readonly sign: string; readonly word: string }>
> = {
  running: { tone: "good", sign: "●", word: "Running" },
  degraded: { tone: "warn", sign: "▲", word: "Degraded" },
  paused: { tone: "bad", sign: "❚❚", word: "Paused" },
};

export interface Overview {
  /** The state of the daemon. It may leave out watches that are well and not in the table. */
  readonly status: StatusView;
  /** The names of all watches. */
  readonly watchNames: readonly string[];
  readonly activity: ActivityView;
  readonly nowMs: number;
  /** What the form did that led here. */
  readonly done?: string | undefined;
}

export function renderPage({ status, watchNames, activity, nowMs, done }: Overview): string {
  return renderLayout({
    title: STATE[status.state].word.toLowerCase(),
    at: "overview",
    reloads: true,
    nowMs,
    header: state(status),
    about: html`<span>version ${status.version}</span><span>up ${spanText(status.uptime_seconds * 1_000)}</span>`,
    live: html`${said(done)}
${attention(status, watchNames)}
${tiles(status, watchNames.length, nowMs)}
${charts(status.quota, activity, nowMs)}
${watchTable(status.watches, watchNames.length, nowMs)}
${sinkTable(status.sinks, nowMs)}
${silenceTable(status.silences, nowMs)}
${replicaTable(status)}
${eventList(status.recent_events, nowMs)}
${configuration(status, nowMs)}`,
    main: html`<section aria-label="Actions">${silenceForm()}${reloadForm()}</section>`,
    footer: html`<a href="api/v1/status">status as JSON</a><a href="metrics">metrics</a><a href="api/v1/openapi.json">API</a>`,
  });
}

function state(status: StatusView): Html {
  const { tone, sign, word } = STATE[status.state];
  return html`<span class="pill ${tone}"><span aria-hidden="true">${sign}</span>${word}</span>`;
}

function charts(quota: QuotaView, { alerts, requests }: ActivityView, nowMs: number): Html {
  const { expected, forecast } = quota;
  return html`<section class="card charts" aria-label="Over time">${lineChart(
    "Requests of this period",
    {
      startMs: Date.parse(quota.period_start),
      endMs: Date.parse(quota.period_end),
      nowMs,
      hours: requests.map(({ at, spent }) => ({ atMs: Date.parse(at), spent })),
      expected:
        expected === null || forecast === null
          ? undefined
          : [Math.min(expected, forecast), Math.max(expected, forecast)],
      limit: quota.limit ?? undefined,
    },
  )}${barChart("Alerts a day", "alerts", alerts)}</section>`;
}

function replicaTable({ replicas, unclaimed }: StatusView): Html {
  if (replicas === null) return html``;
  const rows = replicas.map(
    ({ name, leads, answers, polls_percent: percent, joined_at: joinedAt }) =>
      html`<tr><th scope="row">${name}</th><td data-label="State">${leads ? html`<span class="pill good">Leads</span>` : html`<span class="pill">Follows</span>`}${answers ? undefined : html` <span class="pill warn">No answer</span>`}</td><td data-label="Polls" class="num">${percent}%</td><td data-label="Since">${joinedAt.slice(0, 16).replace("T", " ")}</td></tr>`,
  );
  const free =
    unclaimed === null ? undefined : html`<p class="none">${unclaimedWords(unclaimed)}</p>`;
  return card(
    "replicas",
    "Replicas",
    String(replicas.length),
    html`<table aria-labelledby="replicas"><thead><tr><th scope="col">Replica</th><th scope="col">State</th><th scope="col" class="num">Polls</th><th scope="col">Since (UTC)</th></tr></thead><tbody>${rows}</tbody></table>${free}`,
  );
}

function configuration({ config }: StatusView, nowMs: number): Html {
  const { last_reload: reload, failed_reload: refused } = config;
  const changes = reload === null ? [] : [...reload.memory, ...reload.sends];
  const list =
    changes.length === 0
      ? undefined
      : html`<ul class="changes">${changes.slice(0, 20).map((change) => html`<li>${change}</li>`)}</ul>`;
  return card(
    "configuration",
    "Configuration",
    config.file,
    html`${facts([
      ["Active since", when(config.loaded_at, nowMs)],
      [
        "Last change",
        reload === null
          ? "none since the start"
          : html`${when(reload.at, nowMs)}, asked by ${reload.asked_by}`,
      ],
      [
        "Last refusal",
        refused === null ? "none" : html`${when(refused.at, nowMs)}: ${refused.errors[0] ?? ""}`,
      ],
    ])}${list}`,
  );
}
