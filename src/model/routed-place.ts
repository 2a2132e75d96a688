/**
 * Why an alert goes to its sink: because of a route, its watch, `ops`, or an operator who sent it
 * there.
 */
export type RoutedPlace = {
  readonly by: "route" | "watch" | "ops" | "replay";
  /** The configuration path of the route: `route.routes[0]`. */
  readonly route?: string;
  readonly matchers?: readonly string[];
  readonly groupBy?: readonly string[];
};
