/** The route tree as data: Alertmanager's words. Built by config/, walked by `routeEvent`. */

export interface Matcher {
  readonly label: string;
  readonly op: "=" | "!=" | "=~" | "!~";
  readonly value: string;
  /** Anchored at both ends for =~ and !~; linear-time. */
  matches(value: string): boolean;
}

/** A weekly or daily window, evaluated in its own time zone; may cross midnight. */
export interface TimeInterval {
  readonly name: string;
  /** When the interval that holds `epochMs` ends; undefined when none holds it. */
  endsAt(epochMs: number): number | undefined;
}

export interface Throttle {
  readonly limit: number;
  readonly intervalMs: number;
  /** `digest`: the surplus is gathered and goes out as a list. */
  readonly onExceed: "digest";
  /** While there is a surplus, a digest goes out this often. */
  readonly digestIntervalMs: number;
}

export interface Route {
  /** Position in the tree, `0`, `0.2` …: stable within one configuration. */
  readonly path: string;
  /** Empty: inherited from the parent. */
  readonly sinks: readonly string[];
  readonly matchers: readonly Matcher[];
  readonly continues: boolean;
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly mutes: readonly TimeInterval[];
  readonly onMute: "hold" | "drop";
  readonly throttle?: Throttle;
  readonly routes: readonly Route[];
}
