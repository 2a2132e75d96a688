/**
 * Checks that no sink is tried too early: after a 429 not until its wait is over, and after a
 * refusal of the channel not within a minute.
 */
import type { Attempt } from "../run/sinks.ts";
import type { Evidence } from "./evidence.ts";
import { isBroken } from "./lives.ts";
import { groupBy, isMessage, isReported } from "./outbox.ts";

/** The pause after a refusal that concerns the whole channel. */
const QUIET_MS: Readonly<Record<string, number>> = {
  unauthorised: 60_000,
  forbidden: 60_000,
  missing: 60_000,
};

/** Whether a snooze may have held the sink's messages back at any time between the two. */
const hasSnooze = (
  { silences }: Evidence["played"],
  { sink, fromMs, toMs }: { readonly sink: string; readonly fromMs: number; readonly toMs: number },
): boolean =>
  silences.some(
    (one) =>
      one.kind === "snooze" &&
      (one.sinks.length === 0 || one.sinks.includes(sink)) &&
      one.fromMs < toMs &&
      one.toMs > fromMs,
  );

export const checkPace = (evidence: Evidence): readonly string[] =>
  evidence.isClockSet ? [] : [...checkQuiet(evidence), ...checkProbes(evidence)];

/** Checks that the pauses between attempts grow within one outage, whatever happened before it. */
function checkProbes({ played, epochs, outbox }: Evidence): readonly string[] {
  const sealedMs = new Map(
    [...outbox.attempts].flatMap(([id, own]) =>
      own.map((one) => [one, outbox.messages.get(id)?.sealedAtMs] as const),
    ),
  );
  const begins = epochs.map(({ fromMs }) => fromMs);
  return [...groupBy(played.attempts.filter(isMessage), ({ sink }) => sink)].flatMap(
    ([sink, own]) => {
      let begunMs: number | undefined;
      return own.flatMap((attempt, n): readonly string[] => {
        if (isReported(attempt)) begunMs = undefined;
        else begunMs ??= attempt.atMs;
        const next = own[n + 1];
        if (begunMs === undefined || next === undefined || attempt.waitMs > 0) return [];
        // A webhook that answers 410 is disabled. Nothing is sent there until somebody resumes it.
        if (attempt.wire === "webhook" && attempt.status === 410) return [];
        const overMs = attempt.answeredAtMs ?? attempt.atMs + MAX_TIMEOUT_MS;
        const wasWaiting = (sealedMs.get(next) ?? Number.POSITIVE_INFINITY) < attempt.atMs;
        const [fromMs, toMs] = [attempt.atMs - 1_000, next.atMs + 1_000];
        const isExcused =
          isBroken(played, fromMs, toMs) ||
          begins.some((atMs) => atMs > fromMs && atMs < toMs) ||
          hasSnooze(played, { sink, fromMs, toMs });
        const mostMs = 6 * (overMs - begunMs) + FIRST_PAUSES_MS;
        return !wasWaiting || isExcused || next.atMs - overMs <= mostMs
          ? []
          : [
              `${sink} was left alone for ${Math.round((next.atMs - overMs) / 1_000)} s, ${Math.round((overMs - begunMs) / 1_000)} s into an outage`,
            ];
      });
    },
  );
}

const MAX_TIMEOUT_MS = 60_000;
/** The sum of the first pauses for a channel that refuses everybody. */
const FIRST_PAUSES_MS = 100_000;

function checkQuiet({ played, epochs, finalRules }: Evidence): readonly string[] {
  const attempts = played.attempts.filter(isMessage);
  const isOneOfSeveral = played.scenario.replicas !== undefined;
  // After a restart, a reload or a takeover the sink is tried at once, because somebody may have
  // repaired it. A replica that hands polls over, such as those of a watch that was paused, starts
  // its work again.
  const handovers = played.logged.filter(
    ({ fields }) => fields["asked_by"] === "share that shrank",
  );
  const freshStarts = [...epochs.map(({ fromMs }) => fromMs), ...handovers.map(({ atMs }) => atMs)];
  const isFreshBetween = (fromMs: number, toMs: number) =>
    (isOneOfSeveral && isBroken(played, fromMs - 10_000, toMs + 1_000)) ||
    freshStarts.some((atMs) => atMs > fromMs - 10_000 && atMs < toMs + 1_000);
  const objectTo = (refusal: Attempt, later: Attempt): readonly string[] => {
    const endMs = quietFromMs(refusal, attempts) + quietOf(refusal);
    // The attempt was sent before the answer arrived.
    if (
      later.atMs < (refusal.answeredAtMs ?? Number.POSITIVE_INFINITY) + ON_ITS_WAY_MS ||
      later.atMs >= endMs
    )
      return [];
    if (isFreshBetween(refusal.atMs, later.atMs)) return [];
    // Another attempt in progress was accepted, so the sink is back. A wait that the sink asked for
    // still applies.
    if (
      refusal.waitMs === 0 &&
      attempts.some(
        (one) =>
          one.accepted &&
          one.sink === later.sink &&
          one.atMs > refusal.atMs &&
          one.atMs < later.atMs,
      )
    )
      return [];
    return [
      `${later.sink} was asked again ${later.atMs - (refusal.answeredAtMs ?? 0)} ms after it answered ${refusal.status} (${refusal.trouble})`,
    ];
  };
  return [...groupBy(attempts, ({ sink }) => sink)].flatMap(([sink, own]) =>
    own.flatMap((refusal, n) => {
      if (quietOf(refusal) === 0 || refusal.accepted) return [];
      const isGlobal =
        refusal.trouble === "rate-limited-globally" && refusal.wire.startsWith("discord");
      const asked = isGlobal
        ? attempts.filter((one) => one.wire.startsWith("discord"))
        : own.slice(n + 1);
      return finalRules.sinks.has(sink)
        ? asked.flatMap((later) => objectTo(refusal, later)).slice(0, 1)
        : [];
    }),
  );
}

const quietOf = ({ trouble, waitMs }: Attempt): number => waitMs || (QUIET_MS[trouble ?? ""] ?? 0);

/**
 * Returns when the pause after a refusal begins. If several refused attempts were under way
 * together, the first answer opens the breaker and a later one does not postpone the trial.
 */
function quietFromMs(refusal: Attempt, attempts: readonly Attempt[]): number {
  const { answeredAtMs = 0, waitMs, sink, atMs } = refusal;
  if (waitMs > 0) return answeredAtMs;
  const together = attempts.filter(
    (one) =>
      one.sink === sink &&
      !one.accepted &&
      one.waitMs === 0 &&
      quietOf(one) > 0 &&
      atMs < (one.answeredAtMs ?? 0) + ON_ITS_WAY_MS,
  );
  return Math.min(answeredAtMs, ...together.map((one) => one.answeredAtMs ?? answeredAtMs));
}

/** The longest time from sending an attempt to its arrival. */
const ON_ITS_WAY_MS = 200;
