/**
 * Makes the next attempt at failing sinks due earlier, at an operator's request, by changing only
 * the stored state. Used when no daemon answers, or when another replica delivers to the sink.
 */
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import { closedBreaker } from "../queue/sink-queue.ts";

/**
 * The sink to resume. `place` identifies its destination; undefined if the destination is not known
 * here, because it is in a secret.
 */
export interface SinkToResume {
  readonly sink: string;
  readonly place: string | undefined;
}

/**
 * Resumes a sink by a change of its stored health. When the change is announced, the replica that
 * delivers to the sink reads the stored probe time. If it is earlier than the one that the replica
 * knows, the replica probes the sink.
 */
export async function resumeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  { sink, place }: SinkToResume,
  nowMs: number,
): Promise<{ readonly wasDisabled: boolean }> {
  const health =
    (await store.loadSinkHealth()).find((one) => one.sink === sink) ?? closedBreaker(sink);
  // Save even if the sink works: the replica that delivers to it may know of a wait that the state
  // does not show.
  await store.saveSinkHealth({ ...health, goneFrom: null, probeAtMs: sooner(health, nowMs) });
  const isGone = place === undefined ? health.goneFrom !== null : health.goneFrom === place;
  return { wasDisabled: health.breaker === "open" && isGone };
}

/**
 * Makes the probes of open breakers due now, because an operator may have repaired the sinks. A
 * disabled sink is still not probed until it is resumed.
 */
export async function probeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  isMeant: (sink: string) => boolean,
  nowMs: number,
): Promise<void> {
  for (const health of await store.loadSinkHealth())
    if (health.breaker === "open" && health.goneFrom === null && isMeant(health.sink))
      await store.saveSinkHealth({ ...health, probeAtMs: sooner(health, nowMs) });
}

/**
 * Returns the current time or, if the stored time is earlier, a time just before that. The result
 * is thus always earlier than the stored time, even if this command's clock is ahead of the
 * daemon's.
 */
const sooner = ({ probeAtMs }: SinkHealth, nowMs: number): number =>
  Math.min(nowMs, (probeAtMs ?? nowMs) - 1);
