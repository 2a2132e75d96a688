/**
 * What the pump knows of one sink while it runs: what is in hand, and whether the breaker lets
 * something through. Holds state; the stages act on it.
 */
import type { Clock } from "../../model/clock.ts";
import type { Sink } from "../../model/sink.ts";
import type { DestinationPace } from "./destination-pace.ts";
import type { MessageSizes } from "./message-sizes.ts";
import { pauseMs, type SinkWaits } from "./sink-waits.ts";
import type { Region } from "../../model/template.ts";
import type { DueMessage, SinkHealth } from "../../model/outbox.ts";

/** A sink with what its type says about pacing. */
export interface PumpSink {
  /** Name of its type: sinks of one type share what the vendor limits globally. */
  readonly type: string;
  readonly sink: Sink;
  /** Chat sinks have few messages in hand, so that what comes later can still join. */
  readonly chat: boolean;
  /** Attempts under way at once. */
  readonly concurrency: number;
  /** Counted from a message's first attempt. */
  readonly retryForMs: number;
  /** Where it posts, without its secrets: another one is another place. */
  readonly place: string;
  /** Of that place; sinks with the same place share it. */
  readonly pace: DestinationPace;
  /** Of that place, too. */
  readonly sizes: MessageSizes;
  /** What it asked to wait. A sink with other settings has another one. */
  readonly waits: SinkWaits;
  /** Name of the template of its messages, where no route says another. */
  readonly template?: string;
  readonly region?: Region;
  /** It shows moments in each reader's time zone. */
  readonly hasMoments?: boolean;
}

/** A sealed message in hand. */
export interface ClaimedMessage {
  readonly queue: SinkQueue;
  readonly message: DueMessage;
  /** `sink\ngroupKey` of every group it holds back while it is under way. */
  readonly busyKeys: readonly string[];
  /** Claimed while the breaker was open. */
  readonly isProbe: boolean;
}

export interface SinkQueue extends PumpSink {
  readonly name: string;
  readonly busy: Set<string>;
  /** Claimed and not yet recorded. */
  inHand: number;
  sending: number;
  /** Messages that wait for a free attempt; called with false when the way closes. */
  readonly waiting: ((admitted: boolean) => void)[];
  /**
   * Messages with an attempt of their own that wait for their turn at the place; called when the
   * way closes.
   */
  readonly held: Set<() => void>;
  health: SinkHealth;
  /** Failures of the sink in a row. */
  failures: number;
  /** The groups these failures hit, as busy keys: the first `OPEN_AFTER` of them. */
  readonly failedGroups: Set<string>;
  /** Groups that had their turn at a probe: others go first. */
  readonly probedGroups: Set<string>;
}

/** Failures of the sink in a row that open its breaker. */
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

/** The same by a clock that was set back. */
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

/** Its receiver said that this place is gone for good: no probe is ever due by itself. */
export const isDisabled = ({ health, place }: SinkQueue): boolean =>
  health.breaker === "open" && health.goneFrom === place;

/**
 * The next probe of an open breaker is due now, unless the sink is disabled: someone has perhaps
 * just mended it.
 */
export function probeAtOnce(queue: SinkQueue, nowMs: number): void {
  if (queue.health.breaker === "open" && !isDisabled(queue))
    queue.health = { ...queue.health, probeAtMs: nowMs, goneFrom: null };
}

/** Open, and the time of the next probe has not come. */
export const isBeforeProbe = (queue: SinkQueue, nowMs: number): boolean =>
  queue.health.breaker === "open" && (isDisabled(queue) || (queue.health.probeAtMs ?? 0) > nowMs);

/**
 * Whether the breaker holds everything back. While only a few groups have failed, the fault may be
 * their messages': a group that was not tried yet is let through at once, so that it never waits
 * for the sake of another one's message.
 */
const isHeld = (queue: SinkQueue, nowMs: number): boolean =>
  isBeforeProbe(queue, nowMs) &&
  (queue.health.cause === "destination" || queue.failedGroups.size >= OPEN_AFTER);

/** How many more messages the queue may take in hand. */
export function freeSlotsOf(queue: SinkQueue, clock: Clock): number {
  if (pauseMs(queue, clock) > 0 || isHeld(queue, clock.now())) return 0;
  // One message at a time proves whether the sink is back; the rest waits for its answer.
  if (queue.health.breaker === "open" || queue.waits.isTrial) return queue.inHand === 0 ? 1 : 0;
  const most = queue.chat || queue.concurrency === 1 ? CHAT_IN_HAND : BULK_IN_HAND;
  return queue.inHand > most / 2 ? 0 : most - queue.inHand;
}

/**
 * When a queue without room has some again by itself; undefined: when what is in hand comes back.
 */
export function roomInMs(queue: SinkQueue, clock: Clock): number | undefined {
  if (pauseMs(queue, clock) > 0) return pauseMs(queue, clock);
  if (isDisabled(queue)) return undefined;
  return queue.inHand === 0 ? Math.max(0, (queue.health.probeAtMs ?? 0) - clock.now()) : undefined;
}

const CHAT_IN_HAND = 8;
const BULK_IN_HAND = 400;

export const busyKey = (sink: string, groupKey: string): string => `${sink}\n${groupKey}`;

/** Rejects every message that waits for an attempt: these stay sealed in the outbox. */
export function rejectWaiting(queue: SinkQueue): void {
  for (const answer of queue.waiting.splice(0)) answer(false);
  for (const giveUp of queue.held) giveUp();
}
