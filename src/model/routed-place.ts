/** Why an alert goes to its sink: a route, its watch, `ops`, or an operator who sent it there. */
export type RoutedPlace = {
  readonly by: "route" | "watch" | "ops" | "replay";
  /** Where the route is written: `route.routes[0]`. */
  readonly route?: string;
  readonly matchers?: readonly string[];
  readonly groupBy?: readonly string[];
};
