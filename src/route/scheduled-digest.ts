/**
 * Decides which scheduled digest a delivery belongs to and when the digest is due. Pure. The outbox
 * stores the times.
 */
import { digestGroup } from "../model/digest.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import type { Route, ScheduledDigest, Shaping } from "./route.ts";

export interface NamedDigest {
  readonly name: string;
  readonly digest: ScheduledDigest;
}

/**
 * Returns the digest of a delivery. A route's digest replaces the sink's, and each sink of the
 * route has a digest of its own.
 */
export function digestOf(
  route: Pick<Route, "path" | "digest"> | undefined,
  sink: string,
  facts: Shaping,
): NamedDigest | undefined {
  const digest = route?.digest ?? facts.digest;
  if (digest === undefined || digest === false) return undefined;
  return {
    name: route?.digest === undefined ? `sink:${sink}` : routeDigestName(route.path, sink),
    digest,
  };
}

const routeDigestName = (path: string, sink: string): string => `route:${path}:${sink}`;

/**
 * Returns the group and time of a digest, which replace the delivery's own, because everything in a
 * digest is one group.
 */
export const digestTiming = (
  { name, digest }: NamedDigest,
  nowMs: number,
): Pick<NewDelivery, "groupKey" | "groupWaitMs" | "groupIntervalMs"> & {
  readonly digestAtMs: number;
} => ({
  groupKey: digestGroup("schedule", name),
  groupWaitMs: 0,
  groupIntervalMs: 0,
  digestAtMs: digest.nextAtMs(nowMs),
});

/** A scheduled digest of one sink. */
export type SinkDigest = ScheduledDigest & { readonly sink: string };

/** Returns every scheduled digest by its name, for the code that renders them. */
export function digestsByName(
  tree: Route | undefined,
  sinks: ReadonlyMap<string, Shaping>,
): ReadonlyMap<string, SinkDigest> {
  const found = new Map<string, SinkDigest>();
  for (const [sink, { digest }] of sinks)
    if (digest !== undefined && digest !== false) found.set(`sink:${sink}`, { ...digest, sink });
  const visit = (route: Route, inherited: readonly string[]) => {
    const named = route.sinks.length > 0 ? route.sinks : inherited;
    const { digest } = route;
    if (digest !== undefined && digest !== false)
      for (const sink of named) found.set(routeDigestName(route.path, sink), { ...digest, sink });
    for (const child of route.routes) visit(child, named);
  };
  if (tree !== undefined) visit(tree, []);
  return found;
}
