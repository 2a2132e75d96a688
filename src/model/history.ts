/** What became of an item, as the port that looks it up. */
import type { ChirpEvent, Verdict } from "./event.ts";

export interface ItemHistory {
  readonly watch: string;
  readonly target: string;
  readonly itemId: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly occurredAtMs: number;
  readonly seenAtMs: number;
  readonly event?: ChirpEvent;
  readonly deliveries: readonly {
    readonly sink: string;
    /** waiting, held, sealed, sent, dead, muted, duplicate */
    readonly state: string;
    readonly messageId: string | null;
    readonly attempts: number;
    readonly sentAtMs: number | null;
    readonly ref: string | null;
    readonly detail: string;
  }[];
}

export interface History {
  /** Every verdict on an item id, over all watches. */
  explainItem(itemId: string): Promise<readonly ItemHistory[]>;
  /** The newest events, newest first. */
  recentEvents(limit: number): Promise<readonly ChirpEvent[]>;
  /** The user id a handle had when it was last seen in an event, a target or a roster; null when never. */
  userIdOfHandle(handle: string): Promise<string | null>;
}
