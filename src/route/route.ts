/** The route tree as data: Alertmanager's words. Built by config/, walked by `routeEvent`. */
import type { ChirpEvent } from "../model/event.ts";

export interface Matcher {
  readonly label: string;
  readonly op: "=" | "!=" | "=~" | "!~";
  readonly value: string;
  /** Anchored at both ends for =~ and !~; linear-time. */
  matches(value: string): boolean;
}

/**
 * A weekly or daily window, perhaps on certain dates, evaluated in its own time zone; may cross
 * midnight.
 */
export interface TimeInterval {
  readonly name: string;
  /**
   * When the interval that holds `epochMs` ends, Infinity where it never does; undefined when none
   * holds it.
   */
  endsAt(epochMs: number): number | undefined;
  /** When it begins next, after `epochMs`; Infinity when its dates are over. */
  startsAt(epochMs: number): number;
  /** From then on it repeats weekly, or never holds again; absent: it always repeats weekly. */
  readonly datesEndMs?: number;
}

/**
 * At which hours alerts are sent. What a route says of it replaces what its sink says, key by key.
 */
export interface Muting {
  /** In these nothing is sent. */
  readonly mutes?: readonly TimeInterval[];
  /** Outside of these nothing is sent. Empty: no hours are excluded. */
  readonly actives?: readonly TimeInterval[];
  readonly onMute?: "hold" | "drop";
}

export interface Throttle {
  readonly limit: number;
  readonly intervalMs: number;
  /** `digest`: the surplus is gathered and goes out as a list. */
  readonly onExceed: "digest";
  /** While there is a surplus, a digest goes out this often. */
  readonly digestIntervalMs: number;
}

/** Alerts that are gathered and go out as one list when a schedule says so. */
export interface ScheduledDigest {
  /** The next time it goes out, after `epochMs`. */
  nextAtMs(epochMs: number): number;
  /** What its heading calls it; absent: the watches. */
  readonly title?: string;
  /**
   * `watch`, `author`, `type` or a label, whose values make its sections; absent: by watch, and by
   * type within a watch.
   */
  readonly groupBy?: string;
  /** Most alerts that it lists; the others are counted. */
  readonly maxItems: number;
  /** The number by which each section lists the highest first; absent: the oldest first. */
  readonly sortBy?: SortNumber;
  /** Whether it goes out when nothing came. */
  readonly whenEmpty: "nothing" | "say";
}

/** A number of events. */
export interface SortNumber {
  /** The path as it is written, for example `likes_count` or `tweet.user.followers_count`. */
  readonly name: string;
  /** Undefined for an event without it. */
  of(event: Pick<ChirpEvent, "body">): number | undefined;
}

/** Of alerts that are alike one is sent within a time; further ones join it while it waits. */
export interface Dedupe {
  /** `tweet`, `author`, `text`, or a label: alike in all of them. */
  readonly key: readonly string[];
  readonly windowMs: number;
}

/** What a sink says of its alerts, and a route instead of it, key by key. */
export interface Shaping extends Muting {
  /** False: none, whatever the sink says. */
  readonly digest?: ScheduledDigest | false;
  /** False: not even by the default of chats. */
  readonly dedupe?: Dedupe | false;
  /**
   * Of alerts on values: again after so long, while the value stays across its threshold. False:
   * never.
   */
  readonly repeatMs?: number | false;
  /** Of alerts on values: one more when the value is back. */
  readonly sendResolved?: boolean;
}

export interface Route extends Shaping {
  /** Position in the tree, `0`, `0.2` …: stable within one configuration. */
  readonly path: string;
  /** Empty: inherited from the parent. */
  readonly sinks: readonly string[];
  readonly matchers: readonly Matcher[];
  /** A condition on the event; false for one without the fields it names. */
  readonly where?: (event: Pick<ChirpEvent, "body" | "labels">) => boolean;
  readonly continues: boolean;
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly throttle?: Throttle;
  /** Name of the template of what it sends, instead of the sink's. */
  readonly template?: string;
  readonly routes: readonly Route[];
}
