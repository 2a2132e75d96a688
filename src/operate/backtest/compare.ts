/** Compares what two replays sent, and one of them with what was really sent. Pure. */
import type { DeliveryOutcome, EventRecord } from "../../model/history.ts";

/** An alert at a sink, and what became of it there. */
export interface Placed {
  readonly event: string;
  readonly sink: string;
  readonly state: DeliveryOutcome;
  readonly detail: string;
}

/** An event with the sinks that differ between two sides. */
export interface Difference {
  readonly event: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface ComparedAlerts {
  readonly added: readonly Difference[];
  readonly gone: readonly Difference[];
  /** Alerts that other sinks get. */
  readonly moved: readonly Difference[];
}

/** States in which a sink gets an alert, alone, in a digest, or with an earlier one. */
const DELIVERED: ReadonlySet<DeliveryOutcome> = new Set(["waiting", "held", "sealed", "sent"]);

export const placedIn = (records: readonly EventRecord[]): readonly Placed[] =>
  records.flatMap(({ event, deliveries }) =>
    deliveries.map(({ sink, state, detail }) => ({ event: event.id, sink, state, detail })),
  );

/** Returns the sinks that get each alert. */
export function sinksByEvent(placed: readonly Placed[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { event, sink, state } of placed) {
    if (!DELIVERED.has(state)) continue;
    const sinks = found.get(event) ?? new Set();
    found.set(event, sinks.add(sink));
  }
  return found;
}

export function compare(before: readonly Placed[], after: readonly Placed[]): ComparedAlerts {
  const [old, now] = [sinksByEvent(before), sinksByEvent(after)];
  const added: Difference[] = [];
  const gone: Difference[] = [];
  const moved: Difference[] = [];
  for (const event of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [[...(old.get(event) ?? [])].sort(), [...(now.get(event) ?? [])].sort()];
    if (was.join() === is.join()) continue;
    const one = { event, before: was, after: is };
    if (was.length === 0) added.push(one);
    else if (is.length === 0) gone.push(one);
    else moved.push(one);
  }
  return { added, gone, moved };
}
