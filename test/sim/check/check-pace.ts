/** Nobody is asked again before the time: after a 429 nothing goes to the sink until its wait is over, after a refusal of the place not within a minute. */
import type { Attempt } from "../run/sinks.ts";
import type { Evidence } from "./evidence.ts";
import { groupBy, isMessage } from "./outbox.ts";

/** What follows a refusal that speaks of the place. */
const QUIET_MS: Readonly<Record<string, number>> = {
  unauthorised: 60_000,
  forbidden: 60_000,
  missing: 60_000,
};

export function checkPace({ played, epochs, finalRules, isClockSet }: Evidence): readonly string[] {
  if (isClockSet) return [];
  const attempts = played.attempts.filter(isMessage);
  // Whoever restarts or reloads has perhaps mended it: then it is tried at once.
  const freshStarts = epochs.map(({ fromMs }) => fromMs);
  const isFreshBetween = (fromMs: number, toMs: number) => freshStarts.some((atMs) => atMs > fromMs - 10_000 && atMs < toMs + 1_000);
  const objectTo = (refusal: Attempt, later: Attempt): readonly string[] => {
    const endMs = (refusal.answeredAtMs ?? 0) + quietOf(refusal);
    // Sent before the answer was there.
    if (later.atMs < (refusal.answeredAtMs ?? Number.POSITIVE_INFINITY) + ON_ITS_WAY_MS || later.atMs >= endMs) return [];
    if (isFreshBetween(refusal.atMs, later.atMs)) return [];
    // One that was under way meanwhile got through: the sink is back. A wait that was asked for holds all the same.
    if (
      refusal.waitMs === 0 &&
      attempts.some((one) => one.accepted && one.sink === later.sink && one.atMs > refusal.atMs && one.atMs < later.atMs)
    )
      return [];
    return [
      `${later.sink} was asked again ${later.atMs - (refusal.answeredAtMs ?? 0)} ms after it answered ${refusal.status} (${refusal.trouble})`,
    ];
  };
  return [...groupBy(attempts, ({ sink }) => sink)].flatMap(([sink, own]) =>
    own.flatMap((refusal, n) => {
      if (quietOf(refusal) === 0 || refusal.accepted) return [];
      const isGlobal = refusal.trouble === "rate-limited-globally" && refusal.wire.startsWith("discord");
      const asked = isGlobal ? attempts.filter((one) => one.wire.startsWith("discord")) : own.slice(n + 1);
      return finalRules.sinks.has(sink) ? asked.flatMap((later) => objectTo(refusal, later)).slice(0, 1) : [];
    }),
  );
}

const quietOf = ({ trouble, waitMs }: Attempt): number => waitMs || (QUIET_MS[trouble ?? ""] ?? 0);

/** An attempt arrives so long after it was sent, at most. */
const ON_ITS_WAY_MS = 200;
