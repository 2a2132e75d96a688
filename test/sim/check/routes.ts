/** Decides where an event belongs, by the route tree as the documentation describes it. */
import { type Hours, hoursAt } from "./mutes.ts";
import type {
  RouteRules,
  Rules,
  WatchRules,
  WrittenDedupe,
  WrittenDigest,
  WrittenStep,
} from "./rules.ts";

export interface Place {
  readonly sink: string;
  /** Undefined: the watch named the sink itself. */
  readonly route: RouteRules | undefined;
  readonly hours: Hours;
  /** The digest of the route, or else of the sink. */
  readonly digest: WrittenDigest | undefined;
  /** The `dedupe` written on the route, or else on the sink. */
  readonly dedupe: WrittenDedupe | false | undefined;
  /** The escalation steps written on the route, or else on the sink. */
  readonly escalate: readonly WrittenStep[];
}

export type Labels = Readonly<Record<string, string>>;

/** The properties of an event that routes can match on. */
export interface Routed {
  readonly labels: Labels;
  /** A condition in the words of `where`. */
  readonly fulfils: (where: string) => boolean;
}

/**
 * Returns every sink of an event once, by the first route that names it: the watch's own sinks, or
 * else the routes that take the event.
 */
export function placesOf(rules: Rules, watch: WatchRules, routed: Routed): readonly Place[] {
  const named: readonly Omit<Place, "hours" | "digest" | "dedupe" | "escalate">[] =
    watch.sinks === undefined
      ? taking(rules.root, routed).flatMap((route) => route.sinks.map((sink) => ({ sink, route })))
      : watch.sinks.map((sink) => ({ sink, route: undefined }));
  return named
    .filter(
      ({ sink }, at) => rules.sinks.has(sink) && named.findIndex((one) => one.sink === sink) === at,
    )
    .map((place) => ({
      ...place,
      hours: hoursAt(place.route?.hours, rules.sinks.get(place.sink)?.hours),
      digest: (place.route?.digest ?? rules.sinks.get(place.sink)?.digest) || undefined,
      dedupe: place.route?.dedupe ?? rules.sinks.get(place.sink)?.dedupe,
      escalate: (place.route?.escalate ?? rules.sinks.get(place.sink)?.escalate) || [],
    }));
}

/**
 * Returns the routes that take an event. Children are asked in order. The first one that takes it
 * ends the search unless it has `continue`. A route takes the event itself if none of its children
 * does.
 */
function taking(route: RouteRules | undefined, routed: Routed): readonly RouteRules[] {
  if (route === undefined || !route.matchers.every((matcher) => matches(matcher, routed.labels)))
    return [];
  if (route.where !== undefined && !routed.fulfils(route.where)) return [];
  const taken: RouteRules[] = [];
  for (const child of route.routes) {
    const found = taking(child, routed);
    taken.push(...found);
    if (found.length > 0 && !child.isContinuing) break;
  }
  return taken.length > 0 ? taken : [route];
}

/** A label that the event does not carry counts as empty. */
export function matches(matcher: string, labels: Labels): boolean {
  const [, label = "", op = "", value = ""] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(matcher) ?? [];
  const actual = labels[label] ?? "";
  if (op === "=") return actual === value;
  if (op === "!=") return actual !== value;
  return new RegExp(`^(?:${value})$`, "s").test(actual) === (op === "=~");
}

/** Returns the route and all routes below it. */
export const routesIn = (root: RouteRules | undefined): readonly RouteRules[] =>
  root === undefined ? [] : [root, ...root.routes.flatMap(routesIn)];
