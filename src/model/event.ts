/**
 * A new fact, created once: its identity, its body, its labels, and what became of items that were
 * no event.
 */
import { canonicalJson, type Hash } from "./hash.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Tweet } from "./tweet.ts";
import type { User } from "./user.ts";

/** The event's own facts; `where` sees these names and the webhook body carries them. */
export interface EventBody {
  readonly tweet?: Tweet;
  /** `follower.*`, `score.*`, `profile.*`: the account that did or is something. */
  readonly user?: User;
  /** `follower.*`: the watched account. */
  readonly target?: User;
  readonly [name: string]: Json | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** Labels the daemon sets itself; a watch's own labels may not reuse them. */
export const BUILT_IN_LABELS = [
  "watch",
  "type",
  "event",
  "target",
  "author",
  "lang",
  "kind",
  "conversation",
  "severity",
] as const;

export interface ChirpEvent {
  /** hash(watch key, type, subject, episode): the same fact always gets the same id. */
  readonly id: string;
  /**
   * `tweet.created`, `follower.added`, `score.changed` …; the daemon's own: `watch.gap`,
   * `sink.failing` …
   */
  readonly type: string;
  /** The watch's immutable key; "" for the daemon's own events. */
  readonly watchKey: string;
  /** The watch's id in the YAML when the event was created; "" for the daemon's own. */
  readonly watch: string;
  /**
   * `search`, `timeline` …: who knows how to read this event aloud; "daemon" for the daemon's own.
   */
  readonly watchType: string;
  /** What it is about: a tweet id, a user id … */
  readonly subject: string;
  readonly labels: Labels;
  readonly body: EventBody;
  readonly occurredAtMs: number;
  readonly detectedAtMs: number;
}

export interface EventIdentity {
  readonly type: string;
  readonly subject: string;
  /** "" for facts that happen once, and a persisted random id for facts that can recur. */
  readonly episode: string;
}

export const eventId = (
  hash: Hash,
  watchKey: string,
  { type, subject, episode }: EventIdentity,
): string => hash(canonicalJson([watchKey, type, subject, episode]));

/**
 * What became of an item: an event, or the exact reason why not. `dead`: it became an alert that
 * was given up and reached nobody; `silenced`: one that silences hold back wherever it would go;
 * `deleted`: one whose post was gone before it was sent.
 */
export type Verdict =
  | "event"
  | "dead"
  | "silenced"
  | "deleted"
  | "baseline"
  | "filtered"
  | "too_old"
  | "muted"
  | "duplicate";

/**
 * `data` of the webhook body, and one line of `tail --json`. Labels and times included, ids as
 * strings.
 */
export function eventData(event: ChirpEvent): JsonObject {
  return {
    id: event.id,
    watch: event.watch,
    labels: event.labels,
    occurred_at: new Date(event.occurredAtMs).toISOString(),
    ...(event.body as JsonObject),
  };
}
