/**
 * The storage port for deliveries and messages that wait for a time. That time can change with the
 * active configuration.
 */
import type { DueMember, MuteableDelivery } from "./outbox.ts";
import type { NewDelivery } from "./poll-store.ts";

/** A mute or a snooze that holds something back. */
export interface Hold {
  readonly untilMs: number;
  /** The name of the time interval, or that of the snooze, such as `snooze 7`. */
  readonly heldBy: string;
}

export interface HeldDelivery extends Hold {
  readonly deliveryId: string;
  /** The delivery's group key while a mute holds it. */
  readonly groupKey: string;
}

export interface HeldMessage extends Hold {
  readonly messageId: string;
}

/**
 * A delivery that waits for the end of a mute, its group, or a digest, and that no operator sent
 * again.
 */
export interface WaitingDelivery extends Pick<DueMember, "deliveryId" | "event" | "routed"> {
  readonly sink: string;
  readonly groupKey: string;
  /**
   * The delivery's original group key, if a throttle has moved it into a digest; null otherwise.
   */
  readonly originalGroupKey: string | null;
  /** `group_interval` of its group as stored; null if the group has none. */
  readonly groupIntervalMs: number | null;
  readonly throttleKey: string | null;
  readonly createdAtMs: number;
  readonly dueAtMs: number;
  readonly notBeforeMs: number;
  readonly heldBy: string | null;
}

/** The group and the times that a waiting delivery gets from the active configuration. */
export interface PlacedAgain {
  readonly waiting: WaitingDelivery;
  /** `groupWaitMs` counts from now. */
  readonly delivery: Pick<
    NewDelivery,
    | "groupKey"
    | "groupWaitMs"
    | "groupIntervalMs"
    | "digestAtMs"
    | "notBeforeMs"
    | "heldBy"
    | "once"
    | "throttleKey"
  > & { readonly originalGroupKey: string | null };
}

export interface WaitingPage {
  readonly sink: string;
  readonly nowMs: number;
  /** The number of the last delivery of the previous page; 0 for the first page. */
  readonly afterId: number;
}

export interface WaitsStore {
  /**
   * Returns deliveries that wait for a time, in the order of creation, at most `limit`. Leaves out
   * deliveries that are already due, because they are sent unchanged.
   */
  waitingDeliveries(
    page: WaitingPage & { readonly limit: number },
  ): Promise<readonly WaitingDelivery[]>;
  /** Stores the new groups and due times of deliveries of one page. */
  placeAgain(page: WaitingPage, placed: readonly PlacedAgain[]): Promise<void>;
  /** Postpones due deliveries of one sink until a mute ends. */
  holdDeliveries(sink: string, held: readonly HeldDelivery[]): Promise<void>;
  /**
   * Postpones messages until a mute ends. The wait is no attempt and does not count towards
   * `retry_for`.
   */
  holdMessages(held: readonly HeldMessage[], nowMs: number): Promise<void>;
  /**
   * Undoes `holdMessages` for a sink's messages: they are due now, and the pump checks again
   * whether a mute holds them.
   */
  releaseHeld(sink: string, nowMs: number): Promise<void>;
  /**
   * Unseals those of the messages that were never tried and are whole: their deliveries wait as
   * before. A digest in several messages stays as it is. Returns the ids of unsealed messages.
   */
  revertUntried(messageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the deliveries of messages, by the messages' ids. */
  messageMembers(
    messageIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly MuteableDelivery[]>>;
}
