/**
 * Stores the forecast correction, so that it survives a restart. Writes it at most once a minute.
 * `budget/forecast-correction.ts` computes it.
 */
import type { ForecastCorrection, CorrectionMemory } from "../../budget/forecast-correction.ts";
import type { Clock } from "../../model/clock.ts";
import { untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";

export interface CorrectionKeeper {
  /**
   * Restores the stored value. It is called before every use, and only the first call reads the
   * state.
   */
  load(): Promise<void>;
  /** Writes the value if it changed and the last write is long enough ago. */
  save(): Promise<void>;
}

const NOTE = "quota.overrun";
/**
 * The shortest time between two writes. A killed daemon loses only the learning of this time, and
 * frequent calls of `save` cause few writes.
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
