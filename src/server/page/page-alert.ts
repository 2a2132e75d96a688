/**
 * The page of one alert, or of an item that may not have become one: what happened to it in the
 * order of time, and what somebody can do about it.
 */
import { html, type Html } from "../contract/html.ts";
import {
  notRelevantText,
  stateWords,
  VERDICT_WORDS,
  waitText,
  whoText,
} from "../contract/delivery-words.ts";
import { pathFacts } from "../contract/path-words.ts";
import { when } from "../contract/page-words.ts";
import type { ExplainDelivery, ExplainLine, ExplainView } from "../schema/explain-view.ts";
import type { EventEntry } from "../schema/event-view.ts";
import { alertActions } from "./page-alert-actions.ts";
import { card, renderLayout, said } from "./layout.ts";
import { choice, confirmForm } from "./page-forms.ts";
import { isWebLink } from "./page-tables.ts";

const ROOT = "../";

export interface AlertPage {
  readonly found: ExplainView;
  /** The event, if the page is about one that is still stored. */
  readonly event: EventEntry | undefined;
  /** The names of the configured sinks. */
  readonly sinks: readonly string[];
  readonly nowMs: number;
  /** The relative way to the overview. */
  readonly root?: string;
  readonly done?: string | undefined;
}

export function renderAlertPage(page: AlertPage): string {
  const { found, event, nowMs, root = ROOT, done } = page;
  const isList = found.verdicts.length > 1;
  const lines = found.verdicts.map((line, at) => timeline(line, { at, root, isList }));
  return renderLayout({
    title: event?.title ?? found.item,
    root,
    nowMs,
    live: html`${said(done)}
${event === undefined ? undefined : eventCard(event, nowMs)}
${lines.length === 0 && event === undefined ? unseenCard(found, root) : lines}
${event === undefined ? undefined : actions(page, event, root)}`,
    footer: html`<a href="${root}api/v1/explain/${encodeURIComponent(found.item)}">as JSON</a>`,
  });
}

function eventCard(event: EventEntry, nowMs: number): Html {
  const link = isWebLink(event.url)
    ? html`<p class="none"><a href="${event.url}" rel="noreferrer noopener">open the post</a></p>`
    : undefined;
  return card(
    "alert",
    event.title,
    event.type,
    html`${event.text === "" ? undefined : html`<p class="none text full">${event.text}</p>`}<p class="none">${when(event.timestamp, nowMs)}${event.acknowledged === null ? "" : `; acknowledged ${whoText(event.acknowledged)}`}${event.not_relevant === null ? "" : `; ${notRelevantText(event.not_relevant)}`}</p>${link}`,
  );
}

interface Place {
  readonly at: number;
  readonly root: string;
  /** Whether the page shows several, so that each leads to the page of its alert. */
  readonly isList: boolean;
}

/** Returns what happened to the item in one watch, as a list in the order of time. */
function timeline(line: ExplainLine, { at, root, isList }: Place): Html {
  const steps: Step[] = [
    { at: line.occurred_at, text: html`${isPost(line) ? "posted" : "it happened"}` },
    {
      at: line.seen_at,
      text: html`${line.target === "" ? "seen" : `seen at ${line.target}`}: ${VERDICT_WORDS[line.verdict]}${line.detail === "" || line.verdict === "baseline" ? "" : ` (${line.detail})`}`,
    },
    ...line.deliveries.flatMap((delivery) => deliverySteps(delivery, root)),
  ];
  if (line.acknowledged !== null)
    steps.push({
      at: line.acknowledged.at,
      text: html`acknowledged ${whoText(line.acknowledged)}`,
    });
  const known = steps.filter((step) => step.at !== null);
  const open = steps.filter((step) => step.at === null);
  known.sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
  const none =
    line.event !== null && line.deliveries.length === 0
      ? html`<li><span class="quiet">–</span><div>no route took it</div></li>`
      : undefined;
  return card(
    `line-${at}`,
    line.watch === "" ? "The daemon" : line.watch,
    line.event?.type ?? "no alert",
    html`<ol class="events">${[...known, ...open].map(
      (
        step,
      ) => html`<li>${step.at === null ? html`<span class="quiet">not yet</span>` : moment(step.at)}<div>${step.text}</div></li>
`,
    )}${none}</ol>${linksOf(line, root, isList)}`,
  );
}

function linksOf({ watch, event }: ExplainLine, root: string, isList: boolean): Html | undefined {
  const toWatch =
    watch === ""
      ? undefined
      : html`<a href="${root}watches/${encodeURIComponent(watch)}">the watch</a>`;
  const toAlert =
    event === null || !isList
      ? undefined
      : html`<a href="${root}alerts/${encodeURIComponent(event.id)}">act on this alert</a>`;
  return toWatch === undefined && toAlert === undefined
    ? undefined
    : html`<p class="none links">${toWatch}${toAlert}</p>`;
}

/** A step with its time; null while it is not over. */
interface Step {
  readonly at: string | null;
  readonly text: Html;
}

function deliverySteps(delivery: ExplainDelivery, root: string): readonly Step[] {
  const { sink, wait, sent_at: sentAt, detail, attempt_log: attempts = [], link } = delivery;
  const name = html`<a href="${root}sinks/${encodeURIComponent(sink)}">${sink}</a>`;
  const failed = attempts
    .filter(({ result }) => result === "failed")
    .map(({ at, answer }) => ({ at, text: html`${name}: attempt failed: ${answer}` }));
  const state =
    wait === null || wait.cause === "queued"
      ? stateWords(delivery.state)
      : waitText(wait, shortTime);
  const facts = pathFacts(delivery).map(([title, text]) => `${title}: ${text}`);
  const more = [wait === null ? detail : "", ...facts].filter((text) => text !== "");
  const message = isWebLink(link ?? null)
    ? html` (<a href="${link ?? ""}" rel="noreferrer noopener">the message</a>)`
    : "";
  return [
    ...failed,
    {
      at: sentAt,
      text: html`${name}: ${state}${message}${more.length === 0 ? undefined : html`<span class="sub">${more.join("; ")}</span>`}`,
    },
  ];
}

const isPost = ({ event }: ExplainLine): boolean =>
  event === null || event.type.startsWith("tweet.");

/** Returns the exact time: what came first is what a timeline is asked for. */
const moment = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`;

const shortTime = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

function unseenCard(
  { item, item_id: itemId, unseen, first_reads: reads }: ExplainView,
  root: string,
): Html {
  const lines = unseen?.watches ?? [];
  const about =
    reads.length === 0
      ? "No poll of any watch returned it."
      : `No poll returned it so far; the first read of ${reads.slice(0, 3).join(", ")} is not complete.`;
  const words =
    itemId === null
      ? "The state has nothing of that name: an alert is kept as long as state.retention says, and a post is found by its link or number."
      : unseen?.is_forgotten === true
        ? "What was seen at that time is older than state.retention."
        : about;
  return card(
    "unseen",
    item,
    "nothing is stored about it",
    html`<p class="none">${words} <a href="${root}events">Search the alerts</a></p>
<ul class="changes">${lines.slice(0, 50).map(({ watch, target, reason }) => html`<li><a href="${root}watches/${encodeURIComponent(watch)}">${watch}</a>${target === "" || target === watch ? "" : ` (${target})`}: ${reason}</li>`)}</ul>`,
  );
}

function actions({ sinks }: AlertPage, event: EventEntry, root: string): Html | undefined {
  const { id, watch, labels } = event.data;
  if (typeof id !== "string" || typeof watch !== "string" || watch === "") return undefined;
  const author =
    typeof labels === "object" && labels !== null && "author" in labels
      ? labels["author"]
      : undefined;
  const matchers = [
    `watch="${watch}"`,
    ...(typeof author === "string" ? [`author="${author}"`] : []),
  ];
  const like = new URLSearchParams({ matchers: matchers.join("\n") }).toString();
  return html`<section aria-label="Actions">${alertActions({ id, acknowledged: event.acknowledged, notRelevant: event.not_relevant, sinks: event.deliveries.map(({ sink }) => sink) }, root)}
<p class="none"><a href="${root}silences?${like}">Silence alerts like this…</a></p>
${confirmForm({
  summary: "Send again…",
  action: `${root}alerts/${encodeURIComponent(id)}/replay`,
  explains: "The alert goes out again, to the sink that you choose. It costs no request.",
  fields: choice("Sink", "sink", [
    ["", "those that lack it"],
    ...sinks.map((sink) => [sink, sink] as const),
  ]),
  button: "Send again",
})}</section>`;
}
