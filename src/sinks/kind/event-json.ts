/**
 * Converts the events of a message to JSON for programs: to the body of a webhook, or to the lines
 * of a file.
 */
import { isoTime } from "../../model/clock.ts";
import { eventData } from "../../model/event.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Mark } from "../../model/mark.ts";
import type { Batch, BatchDigest, OutboxEvent } from "../../model/sink.ts";
import { spellOut } from "../../model/template.ts";

/**
 * Returns the JSON document for the events of a message. It is a text and not an object, so that
 * every attempt signs and sends the same bytes.
 */
export function eventDocument(
  batch: Pick<Batch, "events" | "sample" | "digest" | "actAt">,
): string {
  const { digest } = batch;
  const [only] = batch.events;
  if (batch.events.length === 1 && only !== undefined)
    return JSON.stringify(
      digest === undefined
        ? envelope(only, batch)
        : { ...envelope(only, batch), ...digestPart(digest) },
    );
  const detectedAtMs =
    batch.events.length === 0 && digest !== undefined
      ? digest.period.toMs
      : Math.max(0, ...batch.events.map(({ event }) => event.detectedAtMs));
  const events = batch.events.map((one) => ({ type: one.event.type, ...dataOf(one, batch) }));
  return JSON.stringify({
    type: "events.batch",
    timestamp: isoTime(detectedAtMs),
    ...sampleMark(batch.sample),
    ...digestPart(digest),
    data: { events },
  });
}

function digestPart(digest: BatchDigest | undefined): JsonObject {
  if (digest === undefined) return {};
  const { title, period } = digest;
  return { digest: { title, from: isoTime(period.fromMs), to: isoTime(period.toMs) } };
}

/**
 * Returns one line for each event: the document that `eventDocument` returns for that event alone.
 */
export const eventLines = (batch: Batch): string =>
  batch.events.map((event) => `${JSON.stringify(envelope(event, batch))}\n`).join("");

const envelope = (one: OutboxEvent, batch: Pick<Batch, "sample" | "actAt">): JsonObject => ({
  type: one.event.type,
  timestamp: isoTime(one.event.detectedAtMs),
  ...sampleMark(batch.sample),
  data: dataOf(one, batch),
});

/**
 * Returns the data of an event. Texts from a template are added as `message`; they replace nothing.
 */
function dataOf(one: OutboxEvent, { actAt }: Pick<Batch, "actAt">): JsonObject {
  const { event, wording, acknowledged } = one;
  const actionsUrl = actAt?.([one]);
  const own = eventData(event);
  if (actionsUrl === undefined && acknowledged === undefined && wording === undefined) return own;
  const data = {
    ...own,
    ...(actionsUrl === undefined ? {} : { actions_url: actionsUrl }),
    ...(acknowledged === undefined ? {} : { acknowledged: markOf(acknowledged) }),
  };
  if (wording === undefined) return data;
  const { title, body } = wording;
  const message = {
    ...(title === undefined ? {} : { title: spellOut(title) }),
    ...(body === undefined ? {} : { body: spellOut(body) }),
  };
  return { ...data, message };
}

const markOf = ({ by, from, atMs }: Mark): JsonObject => ({ by, at: isoTime(atMs), from });

const sampleMark = (isSample: boolean): JsonObject => (isSample ? { sample: true } : {});
