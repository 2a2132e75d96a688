/**
 * Deliveries and messages that wait for a time, and until when by the configuration of now, as a
 * port.
 */
import type { DueMember, MuteableDelivery } from "./outbox.ts";
import type { NewDelivery } from "./poll-store.ts";

/** A mute holds it back. */
export interface Hold {
  readonly untilMs: number;
  /** The name of the time interval. */
  readonly heldBy: string;
}

export interface HeldDelivery extends Hold {
  readonly deliveryId: string;
  /** Its group while it is held. */
  readonly groupKey: string;
}

export interface HeldMessage extends Hold {
  readonly messageId: string;
}

/**
 * A delivery that waits for a time: the end of a mute, its group, or a digest. An operator did not
 * send it again.
 */
export interface WaitingDelivery extends Pick<DueMember, "deliveryId" | "event" | "routed"> {
  readonly sink: string;
  readonly groupKey: string;
  /** The group that it was created in, where a throttle has moved it into a digest. */
  readonly originalGroupKey: string | null;
  /** `group_interval` of its group as it is stored; null where the group has none. */
  readonly groupIntervalMs: number | null;
  readonly throttleKey: string | null;
  readonly createdAtMs: number;
  readonly dueAtMs: number;
  readonly notBeforeMs: number;
  readonly heldBy: string | null;
}

/** Where such a delivery belongs by the configuration of now. */
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
  /** The number of the last delivery of the page before; 0 for the first page. */
  readonly afterId: number;
}

export interface WaitsStore {
  /**
   * What waits for a time, in the order of creation, so many at once. What is due already goes out
   * as it is.
   */
  waitingDeliveries(
    page: WaitingPage & { readonly limit: number },
  ): Promise<readonly WaitingDelivery[]>;
  /** Stores where deliveries of one page belong now, and when each is due. */
  placeAgain(page: WaitingPage, placed: readonly PlacedAgain[]): Promise<void>;
  /** Puts due deliveries of one sink off until a mute ends. */
  holdDeliveries(sink: string, held: readonly HeldDelivery[]): Promise<void>;
  /**
   * Puts messages off until a mute ends. The time counts neither as an attempt nor towards
   * `retry_for`.
   */
  holdMessages(held: readonly HeldMessage[], nowMs: number): Promise<void>;
  /**
   * Takes back what `holdMessages` did to a sink's messages: they are due, and the pump asks anew.
   */
  releaseHeld(sink: string, nowMs: number): Promise<void>;
  /** The deliveries of messages, by the messages' ids. */
  messageMembers(
    messageIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly MuteableDelivery[]>>;
}
