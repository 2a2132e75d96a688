/** What the pump knows of one sink while it runs: what is in hand, and whether the way is open. Holds state; the stages act on it. */
import type { Sink } from "../model/sink.ts";
import type { DueMessage, SinkHealth } from "../model/outbox.ts";

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
}

/** A sealed message in hand. */
export interface Parcel {
  readonly lane: Lane;
  readonly message: DueMessage;
  /** `sink\ngroupKey` of every group it holds back while it is under way. */
  readonly busyKeys: readonly string[];
}

export interface Lane extends PumpSink {
  readonly name: string;
  readonly busy: Set<string>;
  /** Claimed and not yet recorded. */
  inHand: number;
  sending: number;
  /** Parcels that wait for a free attempt; called with false when the way closes. */
  readonly waiting: ((admitted: boolean) => void)[];
  /** The other side asked for silence until then. */
  pausedUntilMs: number;
  health: SinkHealth;
  /** First of the failures without a success since; undefined while all is well. */
  failingSinceMs: number | undefined;
  /** The operator knows. */
  told: boolean;
}

export const closedBreaker = (sink: string): SinkHealth => ({ sink, breaker: "closed", reason: "", openedAtMs: null, probeAtMs: null });

export function createLane(name: string, target: PumpSink): Lane {
  const state = { inHand: 0, sending: 0, pausedUntilMs: 0, failingSinceMs: undefined, told: false };
  return { ...target, name, busy: new Set(), waiting: [], health: closedBreaker(name), ...state };
}

/** When something may be sent again; now or earlier: the way is open. */
export function opensAt(lane: Lane): number {
  const probeAtMs = lane.health.breaker === "open" ? (lane.health.probeAtMs ?? 0) : 0;
  return Math.max(lane.pausedUntilMs, probeAtMs);
}

/** How many more messages the lane may take in hand. */
export function roomOf(lane: Lane, nowMs: number): number {
  if (opensAt(lane) > nowMs) return 0;
  // One message proves whether the destination is back; the rest waits for its answer.
  if (lane.health.breaker === "open") return lane.inHand === 0 ? 1 : 0;
  const most = lane.chat || lane.concurrency === 1 ? CHAT_IN_HAND : BULK_IN_HAND;
  return lane.inHand > most / 2 ? 0 : most - lane.inHand;
}

const CHAT_IN_HAND = 8;
const BULK_IN_HAND = 400;

export const busyKey = (sink: string, groupKey: string): string => `${sink}\n${groupKey}`;

/** Turns away every parcel that waits: they stay sealed in the outbox. */
export function turnAway(lane: Lane): void {
  for (const answer of lane.waiting.splice(0)) answer(false);
}
