/**
 * Makes the next attempt at failing sinks due sooner, at an operator's request, by changing the
 * stored state only. Used when no daemon answers or when another replica delivers to the sink.
 */
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import { closedBreaker } from "../queue/sink-queue.ts";

/** The sink to resume. `place` is where it posts; undefined if its secrets are not known here. */
export interface SinkToResume {
  readonly sink: string;
  readonly place: string | undefined;
}

/**
 * Resumes a sink through the state. After the change is announced, the replica that delivers to the
 * sink reads the stored probe time. If it is earlier than the one that the replica knows, the
 * replica probes at once.
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
 * Makes open breakers probe at once, because somebody has acted who may have repaired the sinks.
 * Disabled sinks still wait for a resume.
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

/** Returns a time before the stored one, even if the clock of the command's machine is ahead. */
const sooner = ({ probeAtMs }: SinkHealth, nowMs: number): number =>
  Math.min(nowMs, (probeAtMs ?? nowMs) - 1);
