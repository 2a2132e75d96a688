/** Past events as the API, the page and `chirpwatch events` show them. */
import { type Clock, isoTime } from "../../model/clock.ts";
import { eventData } from "../../model/event.ts";
import { markView } from "../../server/contract/delivery-words.ts";
import type { EventPage, EventQuery, EventRecord, History } from "../../model/history.ts";
import { cleanLine, cleanText } from "../../render/text/clean-text.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
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

/**
 * How long a search may take, how long it may hold the event loop, and how many events it examines
 * at first and at most: in one turn of the event loop, and for one answer.
 */
const MAX_SEARCH_MS = 40;
const TURN_MS = 8;
const [FIRST_AT_ONCE, MOST_AT_ONCE] = [250, 2_000];
const MAX_EXAMINED = 20_000;

/**
 * Searches as the store does, in steps, so that a long search does not delay polls. How long an
 * event takes depends on what is asked and on the machine, so each step is measured.
 */
export async function searchEvents(
  { store, clock }: { readonly store: Pick<History, "findEvents">; readonly clock: Clock },
  query: EventQuery,
): Promise<EventPage> {
  const events: EventRecord[] = [];
  const begunAtMs = clock.monotonic();
  let { before } = query;
  let [examined, atOnce] = [0, FIRST_AT_ONCE];
  for (;;) {
    const turnAtMs = clock.monotonic();
    const limit = query.limit - events.length;
    const mostExamined = Math.min(atOnce, MAX_EXAMINED - examined);
    const page = await store.findEvents({ ...query, before, limit, mostExamined });
    events.push(...page.events);
    examined += mostExamined;
    const nowMs = clock.monotonic();
    const isLong = examined >= MAX_EXAMINED || nowMs - begunAtMs >= MAX_SEARCH_MS;
    if (page.next === null || events.length >= query.limit || isLong) return { ...page, events };
    before = page.next;
    const fitting = (mostExamined * TURN_MS) / Math.max(1, nowMs - turnAtMs);
    atOnce = Math.round(Math.min(MOST_AT_ONCE, Math.max(FIRST_AT_ONCE, fitting)));
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
