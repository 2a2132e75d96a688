/** Decides whether everything expected has arrived, so that the simulation can end early. */
import type { Played } from "../run/simulate.ts";
import { check } from "./check.ts";

/** Returns whether nothing is wrong and nothing is due before the calm would end. */
export function isSettled(played: Played): boolean {
  const { scenario, left } = played;
  const calmEndMs = scenario.startMs + scenario.busyMs + scenario.calmMs;
  const isComing = (dueAtMs: number | null): boolean =>
    dueAtMs !== null && dueAtMs <= calmEndMs + SKEW_MS;
  return (
    left.unenriched.length === 0 &&
    !left.messages.some(
      ({ state, nextAttemptAtMs }) => state === "open" && isComing(nextAttemptAtMs),
    ) &&
    !left.escalations.some(({ dueAtMs }) => isComing(dueAtMs)) &&
    !left.deliveries.some(({ state, dueAtMs }) => state === "waiting" && isComing(dueAtMs)) &&
    check(played).length === 0
  );
}

/** The furthest that a clock set by the operator may differ from the world's. */
const SKEW_MS = 2 * 3_600_000;
