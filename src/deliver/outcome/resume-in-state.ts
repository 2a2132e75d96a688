/** A resume of a sink in the state alone, as the operator asks for it where no daemon answers. */
import type { Outbox } from "../../model/outbox.ts";
import { closedBreaker } from "../queue/sink-queue.ts";

/** `place`: where the sink posts; undefined while its secrets are not known here. */
export interface SinkToResume {
  readonly sink: string;
  readonly place: string | undefined;
}

/** The replica that delivers to it takes a probe that is due sooner than its own for an order, once its share is announced. */
export async function resumeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  { sink, place }: SinkToResume,
  nowMs: number,
): Promise<{ readonly wasDisabled: boolean }> {
  const health = (await store.loadSinkHealth()).find((one) => one.sink === sink) ?? closedBreaker(sink);
  // Sooner than before, whatever the clock of the command's machine says. Of a sink that works, the replica that delivers may know of a wait.
  await store.saveSinkHealth({ ...health, goneFrom: null, probeAtMs: Math.min(nowMs, (health.probeAtMs ?? nowMs) - 1) });
  const isGone = place === undefined ? health.goneFrom !== null : health.goneFrom === place;
  return { wasDisabled: health.breaker === "open" && isGone };
}
