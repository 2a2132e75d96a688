/** Past events as the API, the page and `chirpwatch events` show them. */
import { isoTime } from "../../model/clock.ts";
import { eventData } from "../../model/event.ts";
import { markView } from "../../server/contract/delivery-words.ts";
import type { EventPage, EventQuery, EventRecord, History } from "../../model/history.ts";
import { cleanLine, cleanText } from "../../render/text/clean-text.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import type { EventEntry, EventsView } from "../../server/schema/event-view.ts";
import { createReader } from "../create-reader.ts";

export function eventsView(
  { events, next, searchedToMs }: EventPage,
  linksHost: string,
): EventsView {
  const read = createReader(linksHost);
  return {
    events: events.map((record) => entryOf(record, read)),
    next,
    searched_to: searchedToMs === undefined ? null : isoTime(searchedToMs),
  };
}

/** How many events are examined in one turn of the event loop, and for one answer. */
const EXAMINED_AT_ONCE = 2_000;
const MAX_EXAMINED = 20_000;

/** Searches as the store does, in steps, so that a long search does not delay polls. */
export async function searchEvents(
  store: Pick<History, "findEvents">,
  query: EventQuery,
): Promise<EventPage> {
  const events: EventRecord[] = [];
  let { before } = query;
  for (let examined = EXAMINED_AT_ONCE; ; examined += EXAMINED_AT_ONCE) {
    const page = await store.findEvents({
      ...query,
      ...{ before, limit: query.limit - events.length, mostExamined: EXAMINED_AT_ONCE },
    });
    events.push(...page.events);
    const isFull = events.length >= query.limit || examined >= MAX_EXAMINED;
    if (page.next === null || isFull) return { ...page, events };
    before = page.next;
    await yieldToEventLoop();
  }
}

/** Returns the text of a message, or else that of the post that it is about. */
export const textOf = ({ body, context }: ReturnType<ReturnType<typeof createReader>>): string =>
  body === "" ? (context?.body ?? "") : body;

export const eventEntry = (record: EventRecord, linksHost: string): EventEntry =>
  entryOf(record, createReader(linksHost));

function entryOf(
  { event, deliveries, acknowledged, notRelevant }: EventRecord,
  read: ReturnType<typeof createReader>,
): EventEntry {
  const message = read({ event, watches: [event.watch] });
  return {
    type: event.type,
    timestamp: isoTime(event.detectedAtMs),
    title: cleanLine(message.title),
    text: cleanText(textOf(message)),
    url: message.url ?? null,
    author: message.author?.handle ?? "",
    deliveries: deliveries.map(({ sink, state }) => ({ sink, state })),
    acknowledged: markView(acknowledged),
    not_relevant: markView(notRelevant),
    data: eventData(event),
  };
}
