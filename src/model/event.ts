/**
 * Events: facts that are created once, with their identity, body and labels, and the verdicts on
 * items.
 */
import { canonicalJson, type Hash } from "./hash.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Tweet } from "./tweet.ts";
import type { User } from "./user.ts";

/** The facts of an event. `where` uses these names, and the webhook body contains them. */
export interface EventBody {
  readonly tweet?: Tweet;
  /**
   * The account that did something or that the event is about, in `follower.*`, `score.*`,
   * `profile.*`.
   */
  readonly user?: User;
  /** The watched account, in `follower.*`. */
  readonly target?: User;
  readonly [name: string]: Json | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** Labels that the daemon sets itself. A watch's own labels may not use these names. */
export const BUILT_IN_LABELS = [
  "watch",
  "type",
  "event",
  "target",
  "author",
  "author_id",
  "lang",
  "kind",
  "conversation",
  "severity",
] as const;

export interface ChirpEvent {
  /**
   * The hash of watch key, type, subject and episode, so that the same fact always gets the same
   * id.
   */
  readonly id: string;
  /**
   * `tweet.created`, `follower.added`, `score.changed` …, or the daemon's own: `watch.gap`,
   * `sink.failing` …
   */
  readonly type: string;
  /** The watch's immutable key; "" for the daemon's own events. */
  readonly watchKey: string;
  /** The watch's id in the YAML when the event was created; "" for the daemon's own. */
  readonly watch: string;
  /**
   * `search`, `timeline` …, which decides how the event is worded; "daemon" for the daemon's own.
   */
  readonly watchType: string;
  /** The id of its subject: a tweet id, a user id … */
  readonly subject: string;
  readonly labels: Labels;
  readonly body: EventBody;
  readonly occurredAtMs: number;
  readonly detectedAtMs: number;
}

/**
 * Returns the event under the name that its watch has now. `watch` is undefined if the watch is
 * gone; the event then keeps its name.
 */
export const underName = (event: ChirpEvent, watch: string | undefined): ChirpEvent =>
  watch === undefined || watch === event.watch
    ? event
    : { ...event, watch, labels: { ...event.labels, watch } };

export interface EventIdentity {
  readonly type: string;
  readonly subject: string;
  /**
   * "" for a fact that can happen only once; a stored random id for a fact that can happen again.
   */
  readonly episode: string;
}

export const eventId = (
  hash: Hash,
  watchKey: string,
  { type, subject, episode }: EventIdentity,
): string => hash(canonicalJson([watchKey, type, subject, episode]));

/**
 * The verdict on an item: `event` if it became an event, otherwise the reason why not.
 * - `dead`: its alert was given up and reached nobody.
 * - `silenced`: silences hold its alert back at every sink.
 * - `deleted`: its post was deleted before the alert was sent.
 */
export const VERDICTS = [
  "event",
  "dead",
  "silenced",
  "deleted",
  "baseline",
  "filtered",
  "too_old",
  "muted",
  "duplicate",
] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * Returns `data` of the webhook body, which is also a line of `tail --json`. It includes labels and
 * times; ids are strings.
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
