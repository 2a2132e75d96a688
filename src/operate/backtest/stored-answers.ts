/**
 * Gives replayed events the answers that the state stored for their enrichment. Nothing is asked
 * again, so an event that the state does not have goes without one.
 */
import { ENRICH_LABEL } from "../../model/enrichment.ts";
import { BUILT_IN_LABELS, type ChirpEvent, type Labels } from "../../model/event.ts";
import type { Json } from "../../model/json.ts";
import { ownValue } from "../../model/own-value.ts";

interface Answer {
  /** The labels that the enrichment added or replaced. */
  readonly labels: Labels;
  readonly fields: Json | undefined;
}

export class StoredAnswers {
  readonly #eventsById: (ids: readonly string[]) => Promise<readonly ChirpEvent[]>;
  readonly #labels: ReadonlyMap<string, Labels>;
  readonly #known = new Map<string, Answer>();
  readonly #missing = new Set<string>();

  /**
   * `labels` are the own labels of the watches of the active configuration, by the watch's key. A
   * stored event has them besides those of its answer.
   */
  constructor(
    eventsById: (ids: readonly string[]) => Promise<readonly ChirpEvent[]>,
    labels: ReadonlyMap<string, Labels>,
  ) {
    this.#eventsById = eventsById;
    this.#labels = labels;
  }

  /** The ids of the events that have no stored answer. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** Returns the events with their answers. */
  async enrich(events: readonly ChirpEvent[]): Promise<readonly ChirpEvent[]> {
    const unknown = events.filter(({ id }) => !this.#known.has(id) && !this.#missing.has(id));
    const stored = unknown.length === 0 ? [] : await this.#eventsById(unknown.map(({ id }) => id));
    const byId = new Map(stored.map((event) => [event.id, event]));
    for (const event of unknown) {
      const labels = this.#labels.get(event.watchKey) ?? event.labels;
      const answer = answerOf(byId.get(event.id), labels);
      if (answer === undefined) this.#missing.add(event.id);
      else this.#known.set(event.id, answer);
    }
    return events.map((event) => withAnswer(event, this.#known.get(event.id)));
  }
}

/** Returns what an enrichment added; undefined if the event was not enriched. */
function answerOf(stored: ChirpEvent | undefined, own: Labels): Answer | undefined {
  if (stored === undefined || ownValue(stored.labels, ENRICH_LABEL) === undefined) return undefined;
  const added = Object.entries(stored.labels).filter(
    // No answer can set a label that the daemon sets itself.
    ([name, value]) => !BUILT_IN.has(name) && ownValue(own, name) !== value,
  );
  return { labels: Object.fromEntries(added), fields: stored.body["enrichment"] };
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_LABELS);

const withAnswer = (event: ChirpEvent, answer: Answer | undefined): ChirpEvent =>
  answer === undefined
    ? event
    : {
        ...event,
        labels: { ...event.labels, ...answer.labels },
        body:
          answer.fields === undefined ? event.body : { ...event.body, enrichment: answer.fields },
      };
