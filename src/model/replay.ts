/**
 * The storage port for alerts that an operator sends again, and for the record of operators'
 * actions.
 */
import type { Json } from "./json.ts";
import type { NewDelivery } from "./poll-store.ts";

/**
 * Which deliveries an operator wants to send again: those of one event, or those that were sent or
 * dropped since a time (epoch ms). The daemon's own alerts are found only by event id.
 */
export type ReplaySelection = { readonly eventId: string } | { readonly sinceMs: number };

/**
 * What a delivery waits for: the id of the waiting delivery and the end of the wait, in epoch ms.
 * If a delivery joined another one, this is the id of that other one.
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
   * What has become of the delivery.
   * - `done`: it was sent, dropped or deleted.
   * - `joined`: it is part of another delivery of the same fact.
   * - `silenced`: a silence stopped it.
   * - `under_way`: it was not sent yet.
   */
  readonly fate: "done" | "joined" | "silenced" | "under_way";
  /**
   * Whether a replay reaches receivers that already have the alert, because the sink does not know
   * which of its receivers took it.
   */
  readonly reachesAgain?: boolean;
  /**
   * The wait of a delivery under way, for the end of a mute, for its group or for a digest. Null
   * for any other delivery.
   */
  readonly wait: ReplayableWait | null;
}

export interface Replay {
  /**
   * The ids of deliveries that are sent again. Deliveries that have meanwhile come under way are
   * not changed.
   */
  readonly deliveryIds: readonly string[];
  /** The ids of waiting deliveries that become due now. */
  readonly releasedIds?: readonly string[];
  /** New deliveries to sinks to which the events were not routed before. */
  readonly added: readonly NewDelivery[];
  readonly atMs: number;
  /** Details for the audit. */
  readonly detail: { readonly [name: string]: Json };
}

export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  /** The action of the operator: `replay event`, `replay since`, `replay dead`, `silence add` … */
  readonly action: string;
  readonly detail: Json;
}

export interface ReplayStore {
  /** Returns the selected deliveries, in the order of their creation. */
  findReplayable(selection: ReplaySelection): Promise<readonly ReplayCandidate[]>;
  /**
   * Makes deliveries due now in new messages, in spite of mutes and silences, and writes an audit
   * record. Returns the number of alerts.
   */
  replay(replay: Replay): Promise<number>;
  /** Returns the audit records, newest first. */
  auditRecords(limit: number): Promise<readonly AuditRecord[]>;
}
