/** Past events as the API, the page and `chirpwatch events` show them. */
import { isoTime } from "../../model/clock.ts";
import { eventData } from "../../model/event.ts";
import { markView } from "../../server/contract/delivery-words.ts";
import type { EventPage, EventRecord } from "../../model/history.ts";
import { cleanLine, cleanText } from "../../render/text/clean-text.ts";
import type { EventEntry, EventsView } from "../../server/schema/event-view.ts";
import { createReader } from "../create-reader.ts";

export const eventsView = ({ events, next }: EventPage, linksHost: string): EventsView => ({
  events: events.map((record) => eventEntry(record, linksHost)),
  next,
});

/** Returns the text of a message, or else that of the post that it is about. */
export const textOf = ({ body, context }: ReturnType<ReturnType<typeof createReader>>): string =>
  body === "" ? (context?.body ?? "") : body;

export function eventEntry(
  { event, deliveries, acknowledged, notRelevant }: EventRecord,
  linksHost: string,
): EventEntry {
  const message = createReader(linksHost)({ event, watches: [event.watch] });
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
