/** The JSON of `route test`. */

export interface RouteTestView {
  /** The labels of such an event: those of its watch, then those that were given. */
  readonly labels: Readonly<Record<string, string>>;
  /** The sinks in the order in which they are named; a sink gets an event once. */
  readonly sinks: readonly RoutedSinkView[];
}

export interface RoutedSinkView {
  readonly sink: string;
  /**
   * The place of the route, such as `route` or `route.routes[0]`; null if the watch or `ops` names
   * the sink itself.
   */
  readonly route: string | null;
  readonly matchers: readonly string[];
  readonly group_by: readonly string[];
  /** The time interval that would hold the event back now, or drop it; null if none does. */
  readonly muted_by: string | null;
  /** Until when the event is held; null if it is dropped or not muted. */
  readonly held_until: string | null;
}
