/**
 * Gives replayed events the answers that the state stored for their enrichment. Nothing is asked
 * again, so an event that the state does not have goes without one.
 */
import { ENRICH_LABEL, type EnrichmentStore } from "../../model/enrichment.ts";
import { BUILT_IN_LABELS, type ChirpEvent, type Labels } from "../../model/event.ts";
import type { Json } from "../../model/json.ts";
import { ownValue } from "../../model/own-value.ts";
import type { RecheckStore } from "../../model/recheck.ts";

/** An event with its answer. */
export interface Answered {
  readonly event: ChirpEvent;
  /** When it was routed with the answer; undefined if the state does not say so. */
  readonly atMs: number | undefined;
}

type AnswerStore = Pick<EnrichmentStore, "enrichedAt"> & Pick<RecheckStore, "eventsById">;

interface Answer {
  /** The labels that the enrichment added or replaced. */
  readonly labels: Labels;
  readonly fields: Json | undefined;
  readonly atMs: number | undefined;
}

export class StoredAnswers {
  readonly #store: AnswerStore;
  readonly #labels: ReadonlyMap<string, Labels>;
  readonly #known = new Map<string, Answer>();
  readonly #missing = new Set<string>();

  /**
   * `labels` are the own labels of the watches of the active configuration, by the watch's key. A
   * stored event has them besides those of its answer.
   */
  constructor(store: AnswerStore, labels: ReadonlyMap<string, Labels>) {
    this.#store = store;
    this.#labels = labels;
  }

  /** The ids of the events that have no stored answer. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** Returns the events with their answers. */
  async enrich(events: readonly ChirpEvent[]): Promise<readonly Answered[]> {
    const unknown = events.filter(({ id }) => !this.#known.has(id) && !this.#missing.has(id));
    if (unknown.length > 0) await this.#load(unknown);
    return events.map((event) => withAnswer(event, this.#known.get(event.id)));
  }

  async #load(events: readonly ChirpEvent[]): Promise<void> {
    const ids = events.map(({ id }) => id);
    const byId = new Map((await this.#store.eventsById(ids)).map((event) => [event.id, event]));
    const times = await this.#store.enrichedAt(ids);
    for (const event of events) {
      const labels = this.#labels.get(event.watchKey) ?? event.labels;
      const answer = answerOf(byId.get(event.id), labels);
      if (answer === undefined) this.#missing.add(event.id);
      else this.#known.set(event.id, { ...answer, atMs: times.get(event.id) });
    }
  }
}

/** Returns what an enrichment added; undefined if the event was not enriched. */
function answerOf(stored: ChirpEvent | undefined, own: Labels): Omit<Answer, "atMs"> | undefined {
  if (stored === undefined || ownValue(stored.labels, ENRICH_LABEL) === undefined) return undefined;
  const added = Object.entries(stored.labels).filter(
    // No answer can set a label that the daemon sets itself.
    ([name, value]) => !BUILT_IN.has(name) && ownValue(own, name) !== value,
  );
  return { labels: Object.fromEntries(added), fields: stored.body["enrichment"] };
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_LABELS);

function withAnswer(event: ChirpEvent, answer: Answer | undefined): Answered {
  if (answer === undefined) return { event, atMs: undefined };
  const { labels, fields, atMs } = answer;
  const body = fields === undefined ? event.body : { ...event.body, enrichment: fields };
  return { event: { ...event, labels: { ...event.labels, ...labels }, body }, atMs };
}
