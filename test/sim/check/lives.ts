/**
 * When the processes of a simulation ran and when not. A rule may excuse a process, and several
 * replicas may leave work half done.
 */
import type { LifeSpan } from "../run/keeper.ts";
import type { Played } from "../run/simulate.ts";
import type { Attempt } from "../run/sinks.ts";

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Others take over within this time and have then shared out the work again: the lease, and some
 * seconds.
 */
const TAKEN_OVER_MS = 30_000;

const nextOf = ({ lives }: Played, { number, replica }: LifeSpan): LifeSpan | undefined =>
  lives.find((other) => other.replica === replica && other.number > number);

/** Returns when the database server was shut down. */
export const aways = ({ scenario: { startMs, steps } }: Played): readonly Span[] =>
  steps.flatMap((step) =>
    step.do === "server away"
      ? [{ fromMs: startMs + step.atMs, toMs: startMs + step.atMs + step.forMs }]
      : [],
  );

/**
 * Returns when a replica was down or stalled, or no replica could work. The others do its work once
 * they have taken it over.
 */
export const downs = (played: Played): readonly Span[] => [
  ...played.lives.flatMap((life) => [
    { fromMs: life.toMs, toMs: nextOf(played, life)?.fromMs ?? played.endMs },
    ...life.stalls,
  ]),
  ...aways(played).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + TAKEN_OVER_MS })),
];

/**
 * Returns when one replica may take over from another: certain moments, and the half minute after
 * each. With a single daemon only the moments themselves.
 */
export function handovers(played: Played): readonly Span[] {
  const moments = played.lives.flatMap(({ fromMs, toMs, stalls, cutOffsMs }) => [
    fromMs,
    toMs,
    // After a cut the replica assumes that it missed announcements. It reads its configuration
    // again, for example.
    ...cutOffsMs,
    ...stalls.flatMap((stall) => [stall.fromMs, stall.toMs]),
  ]);
  moments.push(...aways(played).flatMap(({ fromMs, toMs }) => [fromMs, toMs]));
  const takesMs = played.scenario.replicas === undefined ? 0 : TAKEN_OVER_MS;
  return moments.map((fromMs) => ({ fromMs, toMs: fromMs + takesMs }));
}

/**
 * Returns whether any process began, ended, stalled, was cut off or handed over between two
 * moments, both included.
 */
export const isBroken = (played: Played, fromMs: number, toMs: number): boolean =>
  handovers(played).some((span) => span.fromMs <= toMs && span.toMs >= fromMs);

/** Returns when replicas were cut or stalled. From then on another one may have done their work. */
export const cuts = ({ lives }: Played): readonly Span[] =>
  lives.flatMap(({ toMs, cutAt, stalls }) => [
    ...(cutAt === undefined ? [] : [{ fromMs: toMs, toMs }]),
    ...stalls,
  ]);

/** No takeover happens within this time, and no pending request times out. */
const SHORT_STALL_MS = 5_000;

/** A replica that stalls longer than this is declared dead by the others. */
const LEASE_MS = 15_000;

/**
 * Returns whether the attempt began after other replicas had taken over from its stalled sender.
 * The sender may finish what it was just sending, but begin nothing.
 */
export function isSentTooLate({ lives }: Played, { life: number, atMs }: Attempt): boolean {
  const life = lives.find((one) => one.number === number);
  if (life?.replacedAtMs === undefined) return false;
  return life.stalls.some(
    ({ fromMs, toMs, point }) =>
      toMs - fromMs > LEASE_MS + 5_000 &&
      toMs <= atMs &&
      !/^(?:http|outputs)\..*:call$/.test(point),
  );
}

/**
 * Returns whether the sender may have failed to store the answer, because its life ended within
 * this time.
 */
export function isForgotten(
  played: Played,
  { life: number, atMs, answeredAtMs = Number.POSITIVE_INFINITY }: Attempt,
  withinMs: number,
): boolean {
  const life = played.lives.find((one) => one.number === number);
  if (life === undefined) return false;
  const endMs = Math.min(life.toMs, life.replacedAtMs ?? life.toMs);
  const isUnrecorded = ({ fromMs, toMs }: Span): boolean =>
    fromMs < answeredAtMs + withinMs && toMs > atMs && endMs < toMs + TAKEN_OVER_MS;
  if (aways(played).some(isUnrecorded)) return true;
  const stalls = life.stalls.filter(({ fromMs, toMs }) => toMs - fromMs > SHORT_STALL_MS);
  return (
    endMs < answeredAtMs + withinMs ||
    stalls.some(({ fromMs, toMs }) => fromMs < answeredAtMs + withinMs && toMs > atMs)
  );
}
