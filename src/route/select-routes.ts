/**
 * Selects the routes that an event matches, in the same way as Alertmanager. Uses labels only, and
 * no facts about sinks.
 */
import type { ChirpEvent } from "../model/event.ts";
import { matchesAll } from "./matcher.ts";
import type { Matcher, Route } from "./route.ts";

export interface ChosenRoute {
  readonly route: Route;
  /** The route's own sinks, or those of the nearest ancestor that names any. */
  readonly sinks: readonly string[];
}

/** Whether an event is about the daemon itself, not about the platform. */
export const isOpsAlert = (event: Pick<ChirpEvent, "watchType">): boolean =>
  event.watchType === "daemon";

/**
 * Returns the matching routes in the order of the tree. The root route matches only if none of its
 * children does. Ops alerts go only to routes that match `event` by name.
 */
export function selectRoutes(tree: Route, event: ChirpEvent): readonly ChosenRoute[] {
  return walk(tree, event, [], !isOpsAlert(event));
}

function walk(
  route: Route,
  event: ChirpEvent,
  inherited: readonly string[],
  isAskedFor: boolean,
): readonly ChosenRoute[] {
  if (!matchesAll(route.matchers, event.labels) || route.where?.(event) === false) return [];
  const sinks = route.sinks.length > 0 ? route.sinks : inherited;
  const isEligible = isAskedFor || route.matchers.some(namesEvent);
  const chosen: ChosenRoute[] = [];
  for (const child of route.routes) {
    const matched = walk(child, event, sinks, isEligible);
    chosen.push(...matched);
    if (matched.length > 0 && !child.continues) break;
  }
  if (chosen.length > 0) return chosen;
  return isEligible ? [{ route, sinks }] : [];
}

/**
 * Whether a matcher requires certain values of the label `event`. `event!="tweet.created"` contains
 * the label, too, but requires no value.
 */
export const namesEvent = (matcher: Matcher): boolean =>
  matcher.label === "event" && (matcher.op === "=" || matcher.op === "=~");
