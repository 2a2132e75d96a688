/** The page of one sink: its health, what waits and until when, and what was given up. */
import { html, type Html } from "../contract/html.ts";
import { counted, countText, lasting, when } from "../contract/page-words.ts";
import type { DeadView } from "../schema/dead-view.ts";
import type { SinkView } from "../schema/sink-view.ts";
import { card, facts, renderLayout, said } from "./layout.ts";
import { confirmForm } from "./page-forms.ts";
import { sinkPill, waitUntilText } from "./page-tables.ts";

const MAX_DEAD = 50;
const ROOT = "../";

export interface SinkPage {
  readonly sink: SinkView;
  readonly dead: DeadView;
  readonly nowMs: number;
  readonly done?: string | undefined;
}

export function renderSinkPage({ sink, dead, nowMs, done }: SinkPage): string {
  const { name } = sink;
  const place = encodeURIComponent(name);
  return renderLayout({
    title: name,
    root: ROOT,
    main: html`${said(done)}
${card(
  "sink",
  name,
  [sink.type, sink.place].filter((text) => text !== "").join(", "),
  html`<div class="inset">${sinkPill(sink)}</div>${facts(factsOf(sink, nowMs))}
<p class="none"><a href="${ROOT}events?sink=${place}">its alerts</a></p>`,
)}
${waitTable(sink, nowMs)}
${deadTable(dead, nowMs)}
${actions(sink, dead)}`,
    footer: html`<footer><a href="${ROOT}api/v1/dead?sink=${place}">dead letters as JSON</a></footer>`,
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

function deadTable({ groups, dead }: DeadView, nowMs: number): Html {
  if (dead.length === 0) return html``;
  const shown = dead.slice(0, MAX_DEAD);
  const rows = shown.map(
    ({ message_id: id, cause, error, given_up_at: at, attempts, alerts }) =>
      html`<tr><th scope="row">${alerts[0]?.title ?? id}<span class="sub">${alerts.length > 1 ? `and ${counted(alerts.length - 1, "more alert")}; ` : ""}message ${id}</span></th>
<td data-label="Given up">${when(at, nowMs)}</td><td data-label="Why"><div>${error}<span class="sub">${cause}, ${counted(attempts, "attempt")}</span></div></td></tr>`,
  );
  return card(
    "dead",
    "Dead letters",
    groups.map(({ text }) => text).join("; "),
    html`<table aria-labelledby="dead"><thead><tr><th scope="col">Alert</th><th scope="col">Given up</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table>${dead.length > shown.length ? html`<p class="none">and ${counted(dead.length - shown.length, "more")}</p>` : undefined}`,
  );
}

function actions({ name, breaker }: SinkView, { dead }: DeadView): Html {
  const place = encodeURIComponent(name);
  return html`<section aria-label="Actions">${breaker === "open" ? confirmForm({ summary: "Try now…", action: `${place}/resume`, explains: "The next message is sent at once. If the sink takes it, the others follow.", button: "Try now" }) : undefined}${confirmForm(
    {
      summary: "Send a test message…",
      action: `${place}/test`,
      explains: "One message, marked as a sample, goes to the sink at once. It costs no request.",
      button: "Send",
    },
  )}${dead.length === 0 ? undefined : html`${confirmForm({ summary: "Send dead letters again…", action: `${place}/dead/replay`, explains: `${counted(dead.length, "message")} that ${dead.length === 1 ? "was" : "were"} given up ${dead.length === 1 ? "is" : "are"} sent again.`, button: "Send again" })}${confirmForm({ summary: "Accept the loss of dead letters…", action: `${place}/dead/acknowledge`, explains: "They are not sent again and no longer count as a problem.", button: "Accept" })}`}</section>`;
}
