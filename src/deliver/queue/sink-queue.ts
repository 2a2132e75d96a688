/**
 * The state of one sink while the pump runs: which messages are claimed, and whether its breaker
 * lets an attempt through. Holds state; the stages act on it.
 */
import type { Clock } from "../../model/clock.ts";
import type { ActAt, Sink } from "../../model/sink.ts";
import type { DestinationPace } from "./destination-pace.ts";
import type { MessageSizes } from "./message-sizes.ts";
import { pauseMs, type SinkWaits } from "./sink-waits.ts";
import type { Region } from "../../model/template.ts";
import type { DueMessage, SinkHealth } from "../../model/outbox.ts";

/** A sink with the limits and settings by which it is delivered. */
export interface PumpSink {
  /** The name of the sink's type. Sinks of one type share the vendor's global limits. */
  readonly type: string;
  readonly sink: Sink;
  /**
   * Whether the sink is a chat. Only a few messages of a chat are claimed at a time, so that later
   * alerts can still join a message.
   */
  readonly chat: boolean;
  /** The number of attempts that may be under way at once. */
  readonly concurrency: number;
  /** How long a message is tried again, in ms since its first attempt. */
  readonly retryForMs: number;
  /**
   * Identifies the destination without its secrets. If the destination in the configuration
   * changes, so does this value.
   */
  readonly place: string;
  /** The rate limit of `place`. Sinks with the same place share it. */
  readonly pace: DestinationPace;
  /** The learned message sizes of `place`. Sinks with the same place share them. */
  readonly sizes: MessageSizes;
  /** The wait that the sink asked for. A sink whose settings have changed starts without a wait. */
  readonly waits: SinkWaits;
  /** The template of the sink's messages, unless a route sets another one. */
  readonly template?: string | undefined;
  readonly region?: Region | undefined;
  /** Whether the sink can show times in each reader's time zone. */
  readonly hasMoments?: boolean | undefined;
  /** Absent if the sink's messages do not link to the page where people act on alerts. */
  readonly actAt?: ActAt | undefined;
}

/** A sealed message that the pump has claimed and whose result is not recorded yet. */
export interface ClaimedMessage {
  readonly queue: SinkQueue;
  readonly message: DueMessage;
  /**
   * The groups that send no other message while this one is under way, as keys that `busyKey`
   * returns.
   */
  readonly busyKeys: readonly string[];
  /** Whether the message was claimed while the breaker was open. */
  readonly isProbe: boolean;
}

export interface SinkQueue extends PumpSink {
  readonly name: string;
  readonly busy: Set<string>;
  /** The number of messages that were claimed and whose results are not recorded yet. */
  inHand: number;
  sending: number;
  /**
   * Callbacks of messages that wait for a free send slot. A callback gets true when a slot is free,
   * and false when its message must return to the outbox.
   */
  readonly waiting: ((admitted: boolean) => void)[];
  /**
   * Callbacks of messages that have a send slot and wait for the rate limit of the destination.
   * Each callback ends its wait early.
   */
  readonly held: Set<() => void>;
  health: SinkHealth;
  /** The number of failures of the sink in a row. */
  failures: number;
  /** The busy keys of the groups with these failures, at most the first `OPEN_AFTER` of them. */
  readonly failedGroups: Set<string>;
  /**
   * The busy keys of groups whose messages were tried while the breaker was open. Other groups are
   * tried first.
   */
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

/** Returns the health with earlier times. Called after the clock was set back. */
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
 * Whether the sink is disabled, because its receiver answered that this destination does not exist
 * any more. A disabled sink is probed only after an operator resumes it.
 */
export const isDisabled = ({ health, place }: SinkQueue): boolean =>
  health.breaker === "open" && health.goneFrom === place;

/**
 * Makes the next probe of an open breaker due now, because an operator may have repaired the sink.
 * Does nothing if the sink is disabled.
 */
export function probeAtOnce(queue: SinkQueue, nowMs: number): void {
  if (queue.health.breaker === "open" && !isDisabled(queue))
    queue.health = { ...queue.health, probeAtMs: nowMs, goneFrom: null };
}

/** Whether the breaker is open and its next probe is not due yet. */
export const isBeforeProbe = (queue: SinkQueue, nowMs: number): boolean =>
  queue.health.breaker === "open" && (isDisabled(queue) || (queue.health.probeAtMs ?? 0) > nowMs);

/**
 * Whether the breaker stops all messages of the sink. While only a few groups have failed, the
 * messages of these groups may be the cause. A group that was not tried yet is therefore let
 * through, without waiting for the next probe.
 */
const isHeld = (queue: SinkQueue, nowMs: number): boolean =>
  isBeforeProbe(queue, nowMs) &&
  (queue.health.cause === "destination" || queue.failedGroups.size >= OPEN_AFTER);

/** Returns how many more messages of the queue may be claimed. */
export function freeSlotsOf(queue: SinkQueue, clock: Clock): number {
  if (pauseMs(queue, clock) > 0 || isHeld(queue, clock.now())) return 0;
  // One message tests whether the sink works again. The other messages wait for its result.
  if (queue.health.breaker === "open" || queue.waits.isTrial) return queue.inHand === 0 ? 1 : 0;
  const most = queue.chat || queue.concurrency === 1 ? CHAT_IN_HAND : BULK_IN_HAND;
  return queue.inHand > most / 2 ? 0 : most - queue.inHand;
}

/**
 * Returns in how many milliseconds a queue without free slots has one because a pause ends or a
 * probe is due; undefined if a claimed message must be finished first.
 */
export function roomInMs(queue: SinkQueue, clock: Clock): number | undefined {
  if (pauseMs(queue, clock) > 0) return pauseMs(queue, clock);
  if (isDisabled(queue)) return undefined;
  return queue.inHand === 0 ? Math.max(0, (queue.health.probeAtMs ?? 0) - clock.now()) : undefined;
}

const CHAT_IN_HAND = 8;
const BULK_IN_HAND = 400;

export const busyKey = (sink: string, groupKey: string): string => `${sink}\n${groupKey}`;

/**
 * Rejects every message that waits for a send slot or for the rate limit. These messages stay
 * sealed in the outbox.
 */
export function rejectWaiting(queue: SinkQueue): void {
  for (const answer of queue.waiting.splice(0)) answer(false);
  for (const giveUp of queue.held) giveUp();
}
