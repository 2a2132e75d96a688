/** A resume of a sink in the state alone, as the operator asks for it where no daemon answers. */
import type { Outbox } from "../../model/outbox.ts";

export interface ResumedInState {
  readonly wasDisabled: boolean;
  /** Its breaker is open: whoever delivers to it tries it now. */
  readonly isFailing: boolean;
}

/** The replica that delivers to it takes a probe that is due sooner than its own for an order, once its share is announced. */
export async function resumeInState(
  store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth">,
  sink: string,
  nowMs: number,
): Promise<ResumedInState> {
  const health = (await store.loadSinkHealth()).find((one) => one.sink === sink);
  if (health?.breaker !== "open") return { wasDisabled: false, isFailing: false };
  // Sooner than before, whatever the clock of the command's machine says.
  await store.saveSinkHealth({ ...health, goneFrom: null, probeAtMs: Math.min(nowMs, (health.probeAtMs ?? nowMs) - 1) });
  return { wasDisabled: health.goneFrom !== null, isFailing: true };
}
