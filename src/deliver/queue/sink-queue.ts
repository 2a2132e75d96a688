/**
 * The state of one sink while the pump runs: which messages are claimed, and whether its breaker
 * lets an attempt through. Holds state; the stages act on it.
 */
import type { Clock } from "../../model/clock.ts";
import type { Sink } from "../../model/sink.ts";
import type { DestinationPace } from "./destination-pace.ts";
import type { MessageSizes } from "./message-sizes.ts";
import { pauseMs, type SinkWaits } from "./sink-waits.ts";
import type { Region } from "../../model/template.ts";
import type { DueMessage, SinkHealth } from "../../model/outbox.ts";

/** A sink with its type's rules for pacing. */
export interface PumpSink {
  /** The name of its type. Sinks of one type share the vendor's global limits. */
  readonly type: string;
  readonly sink: Sink;
  /**
   * Whether it is a chat sink. Only a few messages of a chat sink are claimed at a time, so that
   * later alerts can still join a message.
   */
  readonly chat: boolean;
  /** The number of attempts that may be under way at once. */
  readonly concurrency: number;
  /** How long a message is retried, from its first attempt. */
  readonly retryForMs: number;
  /** Identifies the destination, without its secrets. A changed destination is another place. */
  readonly place: string;
  /** The pace of that place. Sinks with the same place share it. */
  readonly pace: DestinationPace;
  /** The message sizes that the place accepts, shared like the pace. */
  readonly sizes: MessageSizes;
  /** The wait that the sink asked for. A sink whose settings have changed starts without a wait. */
  readonly waits: SinkWaits;
  /** The template of its messages, unless a route sets another one. */
  readonly template?: string | undefined;
  readonly region?: Region | undefined;
  /** Whether it shows times in each reader's time zone. */
  readonly hasMoments?: boolean | undefined;
}

/** A sealed message that the pump has claimed and whose result is not recorded yet. */
export interface ClaimedMessage {
  readonly queue: SinkQueue;
  readonly message: DueMessage;
  /** `sink\ngroupKey` of every group that the message holds back while it is under way. */
  readonly busyKeys: readonly string[];
  /** Whether it was claimed while the breaker was open. */
  readonly isProbe: boolean;
}

export interface SinkQueue extends PumpSink {
  readonly name: string;
  readonly busy: Set<string>;
  /** The number of messages that were claimed and are not recorded yet. */
  inHand: number;
  sending: number;
  /**
   * Callbacks of messages that wait for a free attempt. A callback gets true when an attempt is
   * free, and false when its message must go back to the outbox.
   */
  readonly waiting: ((admitted: boolean) => void)[];
  /**
   * Callbacks of messages that have an attempt and wait until the destination is free. Each ends
   * the wait early.
   */
  readonly held: Set<() => void>;
  health: SinkHealth;
  /** Failures of the sink in a row. */
  failures: number;
  /** The groups that these failures hit, as busy keys: the first `OPEN_AFTER` of them. */
  readonly failedGroups: Set<string>;
  /** Groups that a probe has tried. Other groups go first. */
  readonly probedGroups: Set<string>;
}

/** The number of failures in a row that open the sink's breaker. */
export const OPEN_AFTER = 5;

export const closedBreaker = (sink: string, reportedAtMs: number | null = null): SinkHealth => ({
  sink,
  breaker: "closed",
  cause: "transient",
  reason: "",
  hint: "",
  openedAtMs: null,
  probeAtMs: null,
  goneFrom: null,
  isReported: false,
  reportedAtMs,
});

export function createSinkQueue(name: string, target: PumpSink): SinkQueue {
  const state = {
    inHand: 0,
    sending: 0,
    failures: 0,
    failedGroups: new Set<string>(),
    probedGroups: new Set<string>(),
  };
  return {
    ...target,
    name,
    busy: new Set(),
    waiting: [],
    held: new Set(),
    health: closedBreaker(name),
    ...state,
  };
}

/** Returns the health with its times moved back, after the clock was set back. */
export function setBack(health: SinkHealth, byMs: number): SinkHealth {
  const back = (atMs: number | null) => (atMs === null ? null : atMs - byMs);
  const { openedAtMs, probeAtMs, reportedAtMs } = health;
  return {
    ...health,
    openedAtMs: back(openedAtMs),
    probeAtMs: back(probeAtMs),
    reportedAtMs: back(reportedAtMs),
  };
}

/**
 * Whether the receiver said that this place is gone for good. Then no probe comes due by itself.
 */
export const isDisabled = ({ health, place }: SinkQueue): boolean =>
  health.breaker === "open" && health.goneFrom === place;

/**
 * Makes the next probe of an open breaker due now, unless the sink is disabled, because somebody
 * may just have repaired it.
 */
export function probeAtOnce(queue: SinkQueue, nowMs: number): void {
  if (queue.health.breaker === "open" && !isDisabled(queue))
    queue.health = { ...queue.health, probeAtMs: nowMs, goneFrom: null };
}

/** Whether the breaker is open and its next probe is not due yet. */
export const isBeforeProbe = (queue: SinkQueue, nowMs: number): boolean =>
  queue.health.breaker === "open" && (isDisabled(queue) || (queue.health.probeAtMs ?? 0) > nowMs);

/**
 * Whether the breaker holds everything back. While only a few groups have failed, their own
 * messages may be the cause. A group that was not tried yet is therefore let through at once and
 * never waits because of another group's message.
 */
const isHeld = (queue: SinkQueue, nowMs: number): boolean =>
  isBeforeProbe(queue, nowMs) &&
  (queue.health.cause === "destination" || queue.failedGroups.size >= OPEN_AFTER);

/** Returns how many more messages of the queue may be claimed. */
export function freeSlotsOf(queue: SinkQueue, clock: Clock): number {
  if (pauseMs(queue, clock) > 0 || isHeld(queue, clock.now())) return 0;
  // A single message tests whether the sink is back; the others wait for its answer.
  if (queue.health.breaker === "open" || queue.waits.isTrial) return queue.inHand === 0 ? 1 : 0;
  const most = queue.chat || queue.concurrency === 1 ? CHAT_IN_HAND : BULK_IN_HAND;
  return queue.inHand > most / 2 ? 0 : most - queue.inHand;
}

/**
 * Returns in how many milliseconds a full queue has room again by itself; undefined if a claimed
 * message must be done first.
 */
export function roomInMs(queue: SinkQueue, clock: Clock): number | undefined {
  if (pauseMs(queue, clock) > 0) return pauseMs(queue, clock);
  if (isDisabled(queue)) return undefined;
  return queue.inHand === 0 ? Math.max(0, (queue.health.probeAtMs ?? 0) - clock.now()) : undefined;
}

const CHAT_IN_HAND = 8;
const BULK_IN_HAND = 400;

export const busyKey = (sink: string, groupKey: string): string => `${sink}\n${groupKey}`;

/** Rejects every message that waits for an attempt. The messages stay sealed in the outbox. */
export function rejectWaiting(queue: SinkQueue): void {
  for (const answer of queue.waiting.splice(0)) answer(false);
  for (const giveUp of queue.held) giveUp();
}
