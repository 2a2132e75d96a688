/**
 * Sinks that fail are tried sooner, as an operator asks for it, by the word of the state alone: no
 * daemon answers, or another replica delivers to them.
 */
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import { closedBreaker } from "../queue/sink-queue.ts";

/** `place`: where the sink posts; undefined while its secrets are not known here. */
export interface SinkToResume {
  readonly sink: string;
  readonly place: string | undefined;
}

/**
 * The replica that delivers to it takes a probe that is due sooner than its own for an order, once
 * its share is announced.
 */
export async function resumeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  { sink, place }: SinkToResume,
  nowMs: number,
): Promise<{ readonly wasDisabled: boolean }> {
  const health =
    (await store.loadSinkHealth()).find((one) => one.sink === sink) ?? closedBreaker(sink);
  // Of a sink that works, the replica that delivers may know of a wait.
  await store.saveSinkHealth({ ...health, goneFrom: null, probeAtMs: sooner(health, nowMs) });
  const isGone = place === undefined ? health.goneFrom !== null : health.goneFrom === place;
  return { wasDisabled: health.breaker === "open" && isGone };
}

/** Somebody acts who has perhaps mended the sinks. One that is disabled waits for a resume. */
export async function probeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  isMeant: (sink: string) => boolean,
  nowMs: number,
): Promise<void> {
  for (const health of await store.loadSinkHealth())
    if (health.breaker === "open" && health.goneFrom === null && isMeant(health.sink))
      await store.saveSinkHealth({ ...health, probeAtMs: sooner(health, nowMs) });
}

/** Sooner than before, whatever the clock of the command's machine says. */
const sooner = ({ probeAtMs }: SinkHealth, nowMs: number): number =>
  Math.min(nowMs, (probeAtMs ?? nowMs) - 1);
