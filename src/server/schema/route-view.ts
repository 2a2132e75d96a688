/** The JSON of the command `route test`. */

export interface RouteTestView {
  /**
   * The labels with which the route was tested: those of the watch, with the labels given to the
   * command added or replaced.
   */
  readonly labels: Readonly<Record<string, string>>;
  /** The sinks in the order in which the routes name them. A sink gets an event only once. */
  readonly sinks: readonly RoutedSinkView[];
}

export interface RoutedSinkView {
  readonly sink: string;
  /**
   * The place of the matching route in the configuration, such as `route` or `route.routes[0]`;
   * null if the watch or `ops` names the sink itself.
   */
  readonly route: string | null;
  readonly matchers: readonly string[];
  readonly group_by: readonly string[];
  /** The time interval that would hold the event back or drop it now; null if there is none. */
  readonly muted_by: string | null;
  /** Until when the event is held (ISO 8601); null if it is dropped or not muted. */
  readonly held_until: string | null;
}
