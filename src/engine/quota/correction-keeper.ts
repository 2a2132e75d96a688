/**
 * Keeps what was learned of slowed-down polls over restarts: a note of its own, written once a
 * minute at most. What it means is budget/'s.
 */
import type { ForecastCorrection, CorrectionMemory } from "../../budget/forecast-correction.ts";
import type { Clock } from "../../model/clock.ts";
import { untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";

export interface CorrectionKeeper {
  /** Reads the note once; asked before every use. */
  load(): Promise<void>;
  /** Writes what is new, where it is time. */
  save(): Promise<void>;
}

const NOTE = "quota.overrun";
/**
 * Little enough for whoever is killed again and again; whoever asks for the status time and again
 * writes no more.
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
