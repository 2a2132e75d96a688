/**
 * Why an alert goes to its sink: because of a route, its watch, `ops`, an operator who sent it there,
 * or because nobody acknowledged another alert.
 */
export type RoutedPlace = {
  readonly by: "route" | "watch" | "ops" | "replay" | "escalation";
  /** The configuration path of the route: `route.routes[0]`. */
  readonly route?: string;
  readonly matchers?: readonly string[];
  readonly groupBy?: readonly string[];
  /** Whether a backfill found the alert, so that it is not escalated. */
  readonly isBackfilled?: boolean;
};
