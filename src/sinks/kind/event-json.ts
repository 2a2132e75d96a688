/**
 * The events of a message as JSON, for programs: the body of a webhook, and its events as lines of
 * a file.
 */
import { isoTime } from "../../model/clock.ts";
import { eventData } from "../../model/event.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Batch, OutboxEvent } from "../../model/sink.ts";
import { spellOut } from "../../model/template.ts";

/**
 * One document. Text, not an object: what is signed and sent is then the same, byte for byte, in
 * every attempt.
 */
export function eventDocument(batch: Pick<Batch, "events" | "sample">): string {
  const [only] = batch.events;
  if (batch.events.length === 1 && only !== undefined)
    return JSON.stringify(envelope(only, batch.sample));
  const detectedAtMs = Math.max(0, ...batch.events.map(({ event }) => event.detectedAtMs));
  const events = batch.events.map((one) => ({ type: one.event.type, ...dataOf(one) }));
  return JSON.stringify({
    type: "events.batch",
    timestamp: isoTime(detectedAtMs),
    ...sampleMark(batch.sample),
    data: { events },
  });
}

/** One line for each event, in the form of a document of that event alone. */
export const eventLines = (batch: Batch): string =>
  batch.events.map((event) => `${JSON.stringify(envelope(event, batch.sample))}\n`).join("");

const envelope = (one: OutboxEvent, isSample: boolean): JsonObject => ({
  type: one.event.type,
  timestamp: isoTime(one.event.detectedAtMs),
  ...sampleMark(isSample),
  data: dataOf(one),
});

/** What a template made of the event stands beside its own facts. */
function dataOf({ event, wording }: OutboxEvent): JsonObject {
  if (wording === undefined) return eventData(event);
  const { title, body } = wording;
  const message = {
    ...(title === undefined ? {} : { title: spellOut(title) }),
    ...(body === undefined ? {} : { body: spellOut(body) }),
  };
  return { ...eventData(event), message };
}

const sampleMark = (isSample: boolean): JsonObject => (isSample ? { sample: true } : {});
