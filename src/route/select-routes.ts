/** Which nodes of the tree take an event: Alertmanager's walk. Knows labels, not sinks' facts. */
import type { ChirpEvent } from "../model/event.ts";
import { matchesAll } from "./matcher.ts";
import type { Matcher, Route } from "./route.ts";

export interface ChosenRoute {
  readonly route: Route;
  /** Its own, or those of the nearest ancestor that names any. */
  readonly sinks: readonly string[];
}

/** Events about the daemon itself, not about the platform. */
export const isOpsAlert = (event: Pick<ChirpEvent, "watchType">): boolean =>
  event.watchType === "daemon";

/**
 * In the order of the tree; the root takes what no child took. Ops alerts are taken only by routes
 * that ask for `event` by name.
 */
export function selectRoutes(tree: Route, event: ChirpEvent): readonly ChosenRoute[] {
  return walk(tree, event, [], !isOpsAlert(event));
}

function walk(
  route: Route,
  event: ChirpEvent,
  inherited: readonly string[],
  invited: boolean,
): readonly ChosenRoute[] {
  if (!matchesAll(route.matchers, event.labels) || route.where?.(event) === false) return [];
  const sinks = route.sinks.length > 0 ? route.sinks : inherited;
  const welcome = invited || route.matchers.some(namesEvent);
  const chosen: ChosenRoute[] = [];
  for (const child of route.routes) {
    const taken = walk(child, event, sinks, welcome);
    chosen.push(...taken);
    if (taken.length > 0 && !child.continues) break;
  }
  if (chosen.length > 0) return chosen;
  return welcome ? [{ route, sinks }] : [];
}

/** `event!="tweet.created"` names the label too, but asks for nothing. */
export const namesEvent = (matcher: Matcher): boolean =>
  matcher.label === "event" && (matcher.op === "=" || matcher.op === "=~");
