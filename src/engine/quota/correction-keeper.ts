/**
 * Keeps over restarts how much more slowed-down polls cost than forecast. It is written at most
 * once a minute. `budget/` interprets the value.
 */
import type { ForecastCorrection, CorrectionMemory } from "../../budget/forecast-correction.ts";
import type { Clock } from "../../model/clock.ts";
import { untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";

export interface CorrectionKeeper {
  /** Reads the stored value. Called before every use; only the first call reads. */
  load(): Promise<void>;
  /** Writes the value if it changed and the last write is long enough ago. */
  save(): Promise<void>;
}

const NOTE = "quota.overrun";
/**
 * If the daemon is killed, little is lost; frequent requests for the status cause no more writes.
 */
const WRITE_EVERY_MS = 60_000;

export function createCorrectionKeeper(
  correction: ForecastCorrection,
  { notes, clock }: { readonly notes: Notes; readonly clock: Clock },
): CorrectionKeeper {
  let written: CorrectionMemory | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  return {
    load: untilDone(async () => {
      const kept = (await notes.readNote(NOTE)) as unknown as CorrectionMemory | null;
      if (kept !== null) correction.restore(kept);
      written = correction.memory;
    }),
    async save() {
      const { memory } = correction;
      if (memory === written || clock.monotonic() - writtenAtMs < WRITE_EVERY_MS) return;
      await notes.writeNote(NOTE, memory as unknown as Json);
      [written, writtenAtMs] = [memory, clock.monotonic()];
    },
  };
}
