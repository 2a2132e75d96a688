/**
 * Alerts that an operator sends again, as a port; and the record of what operators did to alerts.
 */
import type { Json } from "./json.ts";
import type { NewDelivery } from "./poll-store.ts";

/**
 * Deliveries of one event, or those that were sent or dropped since then. The daemon's own alerts
 * are found by their id only.
 */
export type ReplaySelection = { readonly eventId: string } | { readonly sinceMs: number };

/**
 * The delivery that waits for a time, and until when. One that joined another waits as that one.
 */
export interface ReplayableWait {
  readonly deliveryId: string;
  readonly untilMs: number;
}

export interface ReplayCandidate {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sink: string;
  /**
   * `joined`: another delivery of the same fact is sent or was, and this one with it. `under_way`:
   * it was not sent yet.
   */
  readonly fate: "done" | "joined" | "silenced" | "under_way";
  /** Some of its receivers have it, and all get it again: the sink does not know which. */
  readonly reachesAgain?: boolean;
  /**
   * Of one under way that waits for the end of a mute, for its group or for a digest; null for any
   * other.
   */
  readonly wait: ReplayableWait | null;
}

export interface Replay {
  /** Deliveries that are made again: those that are under way by now are left alone. */
  readonly deliveryIds: readonly string[];
  /** Deliveries that wait for a time and are due now instead. */
  readonly releasedIds?: readonly string[];
  /** To sinks that their events were never for. */
  readonly added: readonly NewDelivery[];
  readonly atMs: number;
  /** For the audit. */
  readonly detail: { readonly [name: string]: Json };
}

export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  /** `replay event`, `replay since`, `replay dead`, `silence add` … */
  readonly action: string;
  readonly detail: Json;
}

export interface ReplayStore {
  /** In the order of their creation. */
  findReplayable(selection: ReplaySelection): Promise<readonly ReplayCandidate[]>;
  /**
   * Makes them due now, past mutes and silences, each to become part of a new message; how many
   * alerts. The audit gets a row.
   */
  replay(replay: Replay): Promise<number>;
  /** Newest first. */
  auditRecords(limit: number): Promise<readonly AuditRecord[]>;
}
