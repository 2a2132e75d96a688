/**
 * Gives replayed events the answers that the state stored for their enrichment. Nothing is asked
 * again, so an event that the state does not have goes without one.
 */
import { ENRICH_LABEL } from "../../model/enrichment.ts";
import type { ChirpEvent, Labels } from "../../model/event.ts";
import type { Json } from "../../model/json.ts";
import { ownValue } from "../../model/own-value.ts";

interface Answer {
  /** The labels that the enrichment added or replaced. */
  readonly labels: Labels;
  readonly fields: Json | undefined;
}

export class StoredAnswers {
  readonly #eventsById: (ids: readonly string[]) => Promise<readonly ChirpEvent[]>;
  readonly #known = new Map<string, Answer>();
  readonly #missing = new Set<string>();

  constructor(eventsById: (ids: readonly string[]) => Promise<readonly ChirpEvent[]>) {
    this.#eventsById = eventsById;
  }

  /** The number of events that have no stored answer. */
  get missing(): number {
    return this.#missing.size;
  }

  /**
   * Returns the events with their answers. What an answer added is what the stored event has and
   * the event of the active configuration has not, so that configuration must come first.
   */
  async enrich(events: readonly ChirpEvent[]): Promise<readonly ChirpEvent[]> {
    const unknown = events.filter(({ id }) => !this.#known.has(id) && !this.#missing.has(id));
    const stored = unknown.length === 0 ? [] : await this.#eventsById(unknown.map(({ id }) => id));
    const byId = new Map(stored.map((event) => [event.id, event]));
    for (const event of unknown) {
      const answer = answerOf(event, byId.get(event.id));
      if (answer === undefined) this.#missing.add(event.id);
      else this.#known.set(event.id, answer);
    }
    return events.map((event) => withAnswer(event, this.#known.get(event.id)));
  }
}

/** Returns what an enrichment added; undefined if the stored event was not enriched. */
function answerOf({ labels }: ChirpEvent, stored: ChirpEvent | undefined): Answer | undefined {
  if (stored === undefined || ownValue(stored.labels, ENRICH_LABEL) === undefined) return undefined;
  const added = Object.entries(stored.labels).filter(
    ([name, value]) => ownValue(labels, name) !== value,
  );
  return { labels: Object.fromEntries(added), fields: stored.body["enrichment"] };
}

const withAnswer = (event: ChirpEvent, answer: Answer | undefined): ChirpEvent =>
  answer === undefined
    ? event
    : {
        ...event,
        labels: { ...event.labels, ...answer.labels },
        body:
          answer.fields === undefined ? event.body : { ...event.body, enrichment: answer.fields },
      };
