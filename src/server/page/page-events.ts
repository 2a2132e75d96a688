/**
 * The page that searches past alerts with the state of their deliveries. Digests link to it for the
 * events that they only count.
 */
import { html, type Html } from "../contract/html.ts";
import { markText, notRelevantText } from "../contract/delivery-words.ts";
import { DELIVERY_STATES } from "../../model/history.ts";
import { alertActions } from "./page-alert-actions.ts";
import { card, type Layout, renderLayout, said } from "./layout.ts";
import { counted, when } from "../contract/page-words.ts";
import type { EventEntry, EventsView } from "../schema/event-view.ts";

/** What the address holds: the filters, for the form and for the link to the next page. */
export type Asked = Readonly<Record<string, string>>;

export function renderEventsPage(
  found: EventsView,
  asked: Asked,
  nowMs: number,
  done?: string,
): string {
  const { events, next } = found;
  const list =
    events.length === 0
      ? html`<p class="none">${next === null ? "No event matches." : "Nothing here so far."}</p>`
      : html`<ol class="events">${events.map((event) => eventItem(event, nowMs))}</ol>`;
  return pageOf(asked, {
    nowMs,
    live: html`${said(done)}${card("events", "Alerts", counted(events.length, "event"), html`${list}${furtherBack(found, asked)}`)}`,
  });
}

export const renderBadEventsPage = (problem: string, asked: Asked = {}): string =>
  pageOf(asked, {
    main: card("events", "Alerts", "", html`<p class="none" role="alert">${problem}.</p>`),
  });

/** Says how far back a search looked that was not finished, and goes on from there. */
function furtherBack({ next, searched_to: to }: EventsView, asked: Asked): Html | undefined {
  if (next === null) return undefined;
  const query = new URLSearchParams({ ...asked, before: next }).toString();
  const far = to === null ? "" : `Searched back to ${to.slice(0, 16).replace("T", " ")} UTC. `;
  return html`<p class="none">${far}<a href="?${query}">older events</a></p>`;
}

function eventItem(event: EventEntry, nowMs: number): Html {
  const watch = typeof event.data["watch"] === "string" ? event.data["watch"] : "";
  const id = typeof event.data["id"] === "string" ? event.data["id"] : "";
  const fate = event.deliveries.map(({ sink, state }) => `${sink}: ${state}`);
  const { acknowledged, not_relevant: notRelevant } = event;
  const facts = [
    watch,
    event.type,
    ...(fate.length === 0 ? ["no sink"] : fate),
    acknowledged === null ? "" : markText(acknowledged),
    notRelevant === null ? "" : notRelevantText(notRelevant),
  ]
    .filter((fact) => fact !== "")
    .join(", ");
  return html`<li>${when(event.timestamp, nowMs)}<div><a href="alerts/${encodeURIComponent(id)}">${event.title}</a>${event.text === "" ? undefined : html`<div class="text">${event.text}</div>`}<span class="sub">${facts}</span>${watch === "" || id === "" ? undefined : alertActions({ id, acknowledged, notRelevant, sinks: event.deliveries.map(({ sink }) => sink) })}</div></li>
`;
}

const pageOf = (asked: Asked, content: Pick<Layout, "nowMs" | "live" | "main">): string =>
  renderLayout({
    title: "alerts",
    at: "alerts",
    before: searchForm(asked),
    ...content,
    footer: html`<a href="api/v1/events">events as JSON</a>`,
  });

const FIELDS = [
  ["text", "Text", "in posts, names, links"],
  ["watch", "Watch", "brand-mentions"],
  ["author", "Author", "@handle"],
  ["sink", "Sink", "slack-brand"],
  ["since", "Since", "24h or 2026-07-27"],
  ["until", "Until", "2026-07-28"],
] as const;

function searchForm(asked: Asked): Html {
  const fields = FIELDS.map(
    ([name, label, example]) =>
      html`<label>${label}<input name="${name}" value="${asked[name] ?? ""}" placeholder="${example}"></label>`,
  );
  const states = ["", ...DELIVERY_STATES].map(
    (state) =>
      html`<option value="${state}"${state === (asked["state"] ?? "") ? html` selected` : undefined}>${state === "" ? "any" : state.replace("_", " ")}</option>`,
  );
  return html`<section class="card" aria-labelledby="search"><h2 id="search">Search alerts</h2>
<form class="search" method="get" action="events">${fields}<label>State<select name="state">${states}</select></label><button type="submit">Search</button></form>
<form class="search" method="get" action="alerts"><label>Why did this post alert, or not?<input name="item" required placeholder="link, id or handle"></label><button type="submit">Explain</button></form></section>`;
}
