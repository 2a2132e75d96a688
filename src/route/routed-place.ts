/**
 * Describes why an alert went to a sink. This is stored with its delivery, because the
 * configuration may have changed when somebody asks. Pure.
 */
import type { RoutedPlace } from "../model/routed-place.ts";
import type { Matcher, Route } from "./route.ts";

/** Returns the configuration path of a route: `0.2.1` is `route.routes[2].routes[1]`. */
export const placeOfRoute = (path: string): string =>
  [
    "route",
    ...path
      .split(".")
      .slice(1)
      .map((index) => `routes[${index}]`),
  ].join(".");

export const matcherText = ({ label, op, value }: Matcher): string =>
  `${label}${op}${JSON.stringify(value)}`;

/** Returns why a sink got an alert. `route` is undefined if the watch or `ops` names the sink. */
export function routedPlace(route: Route | undefined, byOps: boolean): RoutedPlace {
  if (route === undefined) return { by: byOps ? "ops" : "watch" };
  const { path, matchers, groupBy } = route;
  return {
    by: "route",
    route: placeOfRoute(path),
    ...(matchers.length === 0 ? {} : { matchers: matchers.map(matcherText) }),
    ...(groupBy.length === 0 ? {} : { groupBy }),
  };
}
