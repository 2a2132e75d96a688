/**
 * Distributes the destinations of messages among the replicas. A destination is assigned to a
 * single replica, because its rate limits are counted in one process.
 */
import type { PumpDeps } from "../../deliver/pump.ts";
import type { PumpSink } from "../../deliver/queue/sink-queue.ts";
import type { Hash } from "../../model/hash.ts";
import type { Share } from "../../model/replicas.ts";

export interface Destinations extends Pick<PumpDeps, "holds" | "mayAct"> {
  /**
   * Submits all destinations of the active configuration, so that they are distributed among the
   * replicas.
   */
  submit(sinks: readonly PumpSink[]): Promise<void>;
}

export function createDestinations(share: Share, hash: Hash): Destinations {
  const keyOf = ({ type, place }: PumpSink) => hash(`${type}\n${place}`);
  return {
    holds: (sink) => share.holds("destination", keyOf(sink)),
    mayAct: () => share.mayAct(),
    submit(sinks) {
      const keys = [...new Set(sinks.map(keyOf))];
      return share.submit(
        "destination",
        keys.map((key) => ({ key, cost: 1 })),
      );
    },
  };
}
