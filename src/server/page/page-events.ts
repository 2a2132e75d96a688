/**
 * The page that lists past events with the state of their deliveries. A digest links to this page
 * for the events that it only counts.
 */
import { Html, html } from "../contract/html.ts";
import { markText } from "../contract/delivery-words.ts";
import { alertActions } from "./page-alert-actions.ts";
import { PAGE_ICON, PAGE_STYLE } from "./page-assets.ts";
import { card, isWebLink } from "./page-tables.ts";
import { counted, when } from "../contract/page-words.ts";
import type { EventEntry, EventsView } from "../schema/event-view.ts";

/**
 * Renders the page. `asked` is the query of the request, which the link to the next page repeats.
 */
export function renderEventsPage(
  { events, next }: EventsView,
  asked: Readonly<Record<string, string>>,
  nowMs: number,
): string {
  const filters = Object.entries(asked)
    .filter(([name, value]) => name !== "before" && name !== "limit" && value !== "")
    .map(([name, value]) => `${name} ${value}`);
  const list =
    events.length === 0
      ? html`<p class="none">${next === null ? "No event matches." : "Nothing here so far."}</p>`
      : html`<ol class="events">${events.map((event) => eventItem(event, nowMs))}</ol>`;
  const older =
    next === null
      ? undefined
      : html`<p class="none"><a href="?${olderQuery(asked, next)}">older events</a></p>`;
  return pageOf(
    html`${card("events", "Events", [counted(events.length, "event"), ...filters].join(", "), html`${list}${older}`)}`,
  );
}

export const renderBadEventsPage = (problem: string): string =>
  pageOf(card("events", "Events", "", html`<p class="none">${problem}.</p>`));

const olderQuery = (asked: Readonly<Record<string, string>>, next: string): string =>
  new URLSearchParams({ ...asked, before: next }).toString();

function eventItem(event: EventEntry, nowMs: number): Html {
  const title = isWebLink(event.url)
    ? html`<a href="${event.url}" rel="noreferrer noopener">${event.title}</a>`
    : html`${event.title}`;
  const watch = typeof event.data["watch"] === "string" ? event.data["watch"] : "";
  const fate = event.deliveries.map(({ sink, state }) => `${sink}: ${state}`);
  const { acknowledged } = event;
  const facts = [
    watch,
    event.type,
    ...(fate.length === 0 ? ["no sink"] : fate),
    acknowledged === null ? "" : markText(acknowledged),
  ]
    .filter((fact) => fact !== "")
    .join(", ");
  return html`<li>${when(event.timestamp, nowMs)}<div>${title}${event.text === "" ? undefined : html`<div>${event.text}</div>`}<span class="sub">${facts}</span>${actionsOf(event)}</div></li>
`;
}

/** Returns the forms for an event that a watch found; undefined for the daemon's own events. */
function actionsOf({ data, acknowledged }: EventEntry): Html | undefined {
  const { id, watch } = data;
  return typeof id === "string" && typeof watch === "string" && watch !== ""
    ? alertActions({ id, acknowledged })
    : undefined;
}

const pageOf = (main: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>events – chirpwatch</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<div class="wrap">
<header><h1>chirpwatch</h1><div class="about"><a href=".">status</a><a href="api/v1/events">events as JSON</a></div></header>
<main>${main}</main>
</div>
</body>
</html>
`.text;
