/** Where an event belongs, by the route tree as the documentation describes it. */
import type { RouteRules, Rules, WatchRules } from "./rules.ts";

export interface Place {
  readonly sink: string;
  /** Undefined: the watch named the sink itself. */
  readonly route: RouteRules | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** Every sink once, by the first that names it: the watch's own sinks, or else the routes that take the event. */
export function placesOf(rules: Rules, watch: WatchRules, labels: Labels): readonly Place[] {
  const named: readonly Place[] =
    watch.sinks === undefined
      ? taking(rules.root, labels).flatMap((route) => route.sinks.map((sink) => ({ sink, route })))
      : watch.sinks.map((sink) => ({ sink, route: undefined }));
  return named.filter(({ sink }, at) => rules.sinks.has(sink) && named.findIndex((one) => one.sink === sink) === at);
}

/** Children are asked in order; the first that takes it ends the search, unless it says `continue`; a route whose children do not take it takes it itself. */
function taking(route: RouteRules | undefined, labels: Labels): readonly RouteRules[] {
  if (route === undefined || !route.matchers.every((matcher) => matches(matcher, labels))) return [];
  const taken: RouteRules[] = [];
  for (const child of route.routes) {
    const found = taking(child, labels);
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
