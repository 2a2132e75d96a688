/**
 * Answers health probes in time, even if the daemon's own check hangs. Because anyone may send
 * probes, the check runs at most once a second.
 */
import { sleep, type Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Health, Views } from "./views.ts";

/**
 * The time limit of the check, which is shorter than the timeout of the image's HEALTHCHECK and of
 * an orchestrator's usual probe.
 */
const DEADLINE_MS = 2_500;
const FRESH_MS = 1_000;

/**
 * Creates the probe. It never rejects: an error, or no result within 2.5 s, counts as "not live".
 */
export function createProbe(views: Pick<Views, "health">, clock: Clock): () => Promise<Health> {
  let last: { readonly answer: Promise<Health>; readonly atMs: number } | undefined;
  return () => {
    if (last !== undefined && clock.monotonic() - last.atMs < FRESH_MS) return last.answer;
    last = { answer: ask(views, clock), atMs: clock.monotonic() };
    return last.answer;
  };
}

async function ask(views: Pick<Views, "health">, clock: Clock): Promise<Health> {
  const answered = new AbortController();
  const late = sleep(clock, DEADLINE_MS, answered.signal).then(() =>
    dead("the daemon does not answer"),
  );
  const answer = views.health().catch((error: unknown) => dead(errorText(error)));
  return Promise.race([answer, late]).finally(() => answered.abort());
}

const dead = (reason: string): Health => ({ live: false, ready: false, reason });
