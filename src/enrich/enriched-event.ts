/**
 * Adds an enrichment to an event: the labels of the answer, its fields under `enrichment`, and a
 * label that says whether the enrichment succeeded. Pure.
 */
import { ENRICH_LABEL, type EnrichResult } from "../model/enrichment.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { Enrichment } from "./read-enrichment.ts";

interface Enriched {
  readonly event: ChirpEvent;
  readonly result: EnrichResult;
  readonly error: string;
}

export function answeredEvent(event: ChirpEvent, { labels, fields }: Enrichment): Enriched {
  const body =
    Object.keys(fields).length === 0 ? event.body : { ...event.body, enrichment: fields };
  return {
    event: { ...event, labels: { ...event.labels, ...labels, [ENRICH_LABEL]: "ok" }, body },
    result: "ok",
    error: "",
  };
}

export const failedEvent = (event: ChirpEvent): Omit<Enriched, "error"> => ({
  event: { ...event, labels: { ...event.labels, [ENRICH_LABEL]: "failed" } },
  result: "failed",
});
