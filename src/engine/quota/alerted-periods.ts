/** Which periods of the quota an alert was raised for: once each, over restarts, and where the clock is set to another period and back. */
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";

/** A clock that is set wrong hardly goes through more before it is right again. */
const PERIODS_KEPT = 4;

/** False once a period; from then on true. `note`: the name it is remembered under. */
export async function wasAlertedIn(periodId: string, note: string, notes: Notes): Promise<boolean> {
  const alerted = periodsIn(await notes.readNote(note));
  if (alerted.includes(periodId)) return true;
  await notes.writeNote(note, [...alerted, periodId].slice(-PERIODS_KEPT));
  return false;
}

/** An older release kept the last one alone. */
function periodsIn(note: Json | null): readonly Json[] {
  if (Array.isArray(note)) return note;
  return note === null ? [] : [note];
}
