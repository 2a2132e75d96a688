/**
 * Alerts that an operator sends again, as a port, and the record of operators' actions on alerts.
 */
import type { Json } from "./json.ts";
import type { NewDelivery } from "./poll-store.ts";

/**
 * The deliveries of one event, or those that were sent or dropped since a time. The daemon's own
 * alerts are only found by their id.
 */
export type ReplaySelection = { readonly eventId: string } | { readonly sinceMs: number };

/**
 * The delivery that waits, and until when. A delivery that joined another one waits as that one.
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
   * `joined`: another delivery of the same fact was sent or will be, and this one with it.
   * `under_way`: it was not sent yet.
   */
  readonly fate: "done" | "joined" | "silenced" | "under_way";
  /**
   * Whether all receivers get it again although some have it, because the sink does not know which.
   */
  readonly reachesAgain?: boolean;
  /**
   * For a delivery under way: its wait for the end of a mute, for its group or for a digest. Null
   * for any other.
   */
  readonly wait: ReplayableWait | null;
}

export interface Replay {
  /** Deliveries that are made again. Those that are under way by now are not changed. */
  readonly deliveryIds: readonly string[];
  /** Deliveries that wait and become due now. */
  readonly releasedIds?: readonly string[];
  /** Deliveries to sinks that their events were not routed to. */
  readonly added: readonly NewDelivery[];
  readonly atMs: number;
  /** Details for the audit. */
  readonly detail: { readonly [name: string]: Json };
}

export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  /** What was done: `replay event`, `replay since`, `replay dead`, `silence add` … */
  readonly action: string;
  readonly detail: Json;
}

export interface ReplayStore {
  /** Returns the candidates, in the order of their creation. */
  findReplayable(selection: ReplaySelection): Promise<readonly ReplayCandidate[]>;
  /**
   * Makes deliveries due now, past mutes and silences, each to become part of a new message.
   * Returns the number of alerts. Writes an audit record.
   */
  replay(replay: Replay): Promise<number>;
  /** Returns the audit records, newest first. */
  auditRecords(limit: number): Promise<readonly AuditRecord[]>;
}
