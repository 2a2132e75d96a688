/**
 * The route tree as data, in Alertmanager's terms. config/ builds it, `routeEvent` evaluates it.
 */
import type { ChirpEvent } from "../model/event.ts";

export interface Matcher {
  readonly label: string;
  readonly op: "=" | "!=" | "=~" | "!~";
  readonly value: string;
  /**
   * Whether a value matches. The expression of =~ and !~ must match the whole value. Takes linear
   * time.
   */
  matches(value: string): boolean;
}

/**
 * A weekly or daily window, possibly limited to certain dates, evaluated in its own time zone. It
 * may cross midnight.
 */
export interface TimeInterval {
  readonly name: string;
  /**
   * Returns when the interval that contains `epochMs` ends; Infinity if it never ends, undefined if
   * `epochMs` is in no interval.
   */
  endsAt(epochMs: number): number | undefined;
  /** Returns when the interval next begins after `epochMs`; Infinity if its dates are over. */
  startsAt(epochMs: number): number;
  /**
   * The time (epoch ms) by which the last configured date is over. From then on only windows
   * without dates remain: the interval repeats weekly, or never occurs again if every window has
   * dates. Absent, or -Infinity, if no window has dates.
   */
  readonly datesEndMs?: number;
}

/** The hours at which alerts are sent. A route's settings replace its sink's, key by key. */
export interface Muting {
  /** Nothing is sent during these intervals. */
  readonly mutes?: readonly TimeInterval[];
  /** Nothing is sent outside of these intervals. If empty, no hours are excluded. */
  readonly actives?: readonly TimeInterval[];
  readonly onMute?: "hold" | "drop";
}

export interface Throttle {
  readonly limit: number;
  readonly intervalMs: number;
  /** `digest`: the surplus is gathered and sent as a list. */
  readonly onExceed: "digest";
  /** While alerts exceed the limit, a digest is sent at this interval. */
  readonly digestIntervalMs: number;
}

/** Alerts that are gathered and sent as one list on a schedule. */
export interface ScheduledDigest {
  /** Returns the next time after `epochMs` at which the digest is sent. */
  nextAtMs(epochMs: number): number;
  /** The title in its heading. If absent, the heading names the watches. */
  readonly title?: string | undefined;
  /**
   * What divides the digest into sections: `watch`, `author`, `type` or the values of a label. If
   * absent, sections are by watch, and by type within a watch.
   */
  readonly groupBy?: string | undefined;
  /** The maximum number of alerts that it lists. The others are counted. */
  readonly maxItems: number;
  /**
   * The number by which each section is sorted, highest first. If absent, the oldest alert is
   * first.
   */
  readonly sortBy?: SortNumber;
  /** Whether the digest is also sent when there are no alerts (`say`). */
  readonly whenEmpty: "nothing" | "say";
}

/** A number that can be read from an event. */
export interface SortNumber {
  /** The path as configured, for example `likes_count` or `tweet.user.followers_count`. */
  readonly name: string;
  /** Returns the number; undefined for an event without it. */
  of(event: Pick<ChirpEvent, "body">): number | undefined;
}

/**
 * Sends only the first of several equal alerts within `windowMs`. Further ones are added to its
 * message while it waits.
 */
export interface Dedupe {
  /** `tweet`, `author`, `text` or labels. Alerts are equal if they agree in all of them. */
  readonly key: readonly string[];
  readonly windowMs: number;
}

/** A step of an escalation: where it goes when nobody has acknowledged the alert. */
export interface EscalationStep {
  readonly sink: string;
  /** How long after the alert, or after the step before, in ms. */
  readonly afterMs: number;
  /** A condition on the alert. A step whose condition is false is passed over. */
  readonly when?: ((event: Pick<ChirpEvent, "body" | "labels">) => boolean) | undefined;
}

/**
 * The settings for alerts that sinks and routes have in common. A route's settings replace its
 * sink's, key by key.
 */
export interface Shaping extends Muting {
  /** The scheduled digest. False means no digest, even if the sink has one. */
  readonly digest?: ScheduledDigest | false;
  /** The deduplication. False means none, not even the default of chats. */
  readonly dedupe?: Dedupe | false;
  /**
   * For alerts on values: the time in ms after which an alert is repeated while the value stays
   * beyond its threshold. False means never.
   */
  readonly repeatMs?: number | false;
  /** For alerts on values: whether another alert is sent when the value is back to normal. */
  readonly sendResolved?: boolean;
  /** The steps for an alert that nobody acknowledges; false: none, even if the sink has some. */
  readonly escalate?: readonly EscalationStep[] | false;
}

export interface Route extends Shaping {
  /** The position in the tree, `0`, `0.2` …, which is stable within one configuration. */
  readonly path: string;
  /** The names of the sinks. If empty, the parent's sinks are used. */
  readonly sinks: readonly string[];
  readonly matchers: readonly Matcher[];
  /** A condition on the event. False for an event without the fields that it uses. */
  readonly where?: ((event: Pick<ChirpEvent, "body" | "labels">) => boolean) | undefined;
  readonly continues: boolean;
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly throttle?: Throttle;
  /** The name of the template for its messages, which replaces the sink's. */
  readonly template?: string;
  readonly routes: readonly Route[];
}
