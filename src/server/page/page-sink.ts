/** The page of one sink: its health, what waits and until when, and what was given up. */
import { html, type Html } from "../contract/html.ts";
import { counted, countText, lasting, when } from "../contract/page-words.ts";
import type { RefusedAttempt } from "../../model/history.ts";
import type { DeadView } from "../schema/dead-view.ts";
import type { SinkView } from "../schema/sink-view.ts";
import { card, facts, renderLayout, said } from "./layout.ts";
import { confirmForm, deadForms, tryForm } from "./page-forms.ts";
import { sinkPill, waitUntilText } from "./page-tables.ts";

const MAX_DEAD = 50;
const ROOT = "../";

export interface SinkPage {
  readonly sink: SinkView;
  readonly dead: DeadView;
  readonly refusals: readonly RefusedAttempt[];
  readonly nowMs: number;
  readonly done?: string | undefined;
}

export function renderSinkPage({ sink, dead, refusals, nowMs, done }: SinkPage): string {
  const { name } = sink;
  const place = encodeURIComponent(name);
  return renderLayout({
    title: name,
    root: ROOT,
    nowMs,
    live: html`${said(done)}
${card(
  "sink",
  name,
  [sink.type, sink.place].filter((text) => text !== "").join(", "),
  html`<div class="inset">${sinkPill(sink)}</div>${facts(factsOf(sink, nowMs))}
<p class="none"><a href="${ROOT}events?sink=${place}">its alerts</a></p>`,
)}
${waitTable(sink, nowMs)}
${refusalList(refusals, nowMs)}
${deadTable(dead, nowMs)}
${actions(sink, dead)}`,
    footer: html`<a href="${ROOT}api/v1/dead?sink=${place}">dead letters as JSON</a>`,
  });
}

const factsOf = (sink: SinkView, nowMs: number): (readonly [string, Html | string])[] => [
  ...(sink.breaker === "closed"
    ? []
    : ([
        [
          "Failing",
          html`${sink.failing_since === null ? "" : lasting(sink.failing_since, nowMs)}: ${sink.reason}`,
        ],
        ...(sink.hint === "" ? [] : [["What to do", sink.hint] as const]),
        ["Next attempt", when(sink.next_attempt_at, nowMs)],
      ] as const)),
  ["Sent", countText(sink.sent)],
  ["Waiting", countText(sink.waiting)],
  ["Oldest from", when(sink.oldest_at, nowMs)],
  ["Dead letters", countText(sink.dead)],
];

function waitTable({ waits }: SinkView, nowMs: number): Html {
  if (waits.length === 0) return html``;
  return card(
    "waits",
    "What waits",
    "",
    html`<ul class="changes">${waits.map((wait) => html`<li>${countText(wait.count)}: ${wait.reason}${waitUntilText(wait, nowMs)}</li>`)}</ul>`,
  );
}

function refusalList(refusals: readonly RefusedAttempt[], nowMs: number): Html {
  if (refusals.length === 0) return html``;
  return card(
    "refusals",
    "Last refusals",
    "of messages that are not sent",
    html`<ol class="events">${refusals.map(({ messageId, atMs, error }) => html`<li>${when(new Date(atMs).toISOString(), nowMs)}<div>${error}<span class="sub">message ${messageId}</span></div></li>`)}</ol>`,
  );
}

function deadTable({ groups, dead }: DeadView, nowMs: number): Html {
  if (dead.length === 0) return html``;
  const shown = dead.slice(0, MAX_DEAD);
  const rows = shown.map(
    ({ message_id: id, cause, error, given_up_at: at, attempts, alerts }) =>
      html`<tr><th scope="row">${deadTitle(alerts[0], id)}<span class="sub">${alerts.length > 1 ? `and ${counted(alerts.length - 1, "more alert")}; ` : ""}message ${id}</span></th>
<td data-label="Given up">${when(at, nowMs)}</td><td data-label="Why"><div>${error}<span class="sub">${cause}, ${counted(attempts, "attempt")}</span></div></td></tr>`,
  );
  return card(
    "dead",
    "Dead letters",
    groups.map(({ text }) => text).join("; "),
    html`<table aria-labelledby="dead"><thead><tr><th scope="col">Alert</th><th scope="col">Given up</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table>${dead.length > shown.length ? html`<p class="none">and ${counted(dead.length - shown.length, "more")}</p>` : undefined}`,
  );
}

const deadTitle = (alert: DeadView["dead"][number]["alerts"][number] | undefined, id: string) =>
  alert === undefined
    ? id
    : html`<a href="${ROOT}alerts/${encodeURIComponent(alert.id)}">${alert.title}</a>`;

function actions({ name, breaker }: SinkView, { dead }: DeadView): Html {
  const place = encodeURIComponent(name);
  const test = confirmForm({
    summary: "Send a test message…",
    action: `${place}/test`,
    explains: "One message, marked as a sample, goes to the sink at once. It costs no request.",
    button: "Send",
  });
  return html`<section aria-label="Actions">${breaker === "open" ? tryForm(place, "card") : undefined}${test}${dead.length === 0 ? undefined : deadForms(place, "card")}</section>`;
}
