/** The JSON of `route test`. */

export interface RouteTestView {
  /** As an event of this kind carries them: those of its watch, then those that were given. */
  readonly labels: Readonly<Record<string, string>>;
  /** In the order in which they are named; a sink gets an event once. */
  readonly sinks: readonly RoutedSinkView[];
}

export interface RoutedSinkView {
  readonly sink: string;
  /**
   * Where it is written: `route`, `route.routes[0]`; null where the watch or `ops` names the sink
   * itself.
   */
  readonly route: string | null;
  readonly matchers: readonly string[];
  readonly group_by: readonly string[];
  /** The time interval that would hold it back now, or drop it; null where none does. */
  readonly muted_by: string | null;
  /** Until when; null where it is dropped, or not muted. */
  readonly held_until: string | null;
}
