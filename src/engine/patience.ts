/** How long a poll that the service refused is left alone: little at first, as a service can be wrong for a moment. */

export interface Patience {
  /** `isNew`: it was all right before. `steadyMs`: from the fourth refusal in a row on, and after a restart. */
  holdMs(pollKey: string, isNew: boolean, steadyMs: number): number;
}

const FIRST_MS = [60_000, 300_000, 900_000] as const;

export function createPatience(): Patience {
  /** By poll, how often in a row it was refused; only while that decides how long it waits. */
  const refusals = new Map<string, number>();
  return {
    holdMs(pollKey, isNew, steadyMs) {
      const count = isNew ? 0 : (refusals.get(pollKey) ?? FIRST_MS.length);
      if (count < FIRST_MS.length) refusals.set(pollKey, count + 1);
      else refusals.delete(pollKey);
      return FIRST_MS[count] ?? steadyMs;
    },
  };
}
