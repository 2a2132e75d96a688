/** What looking at fresh tweets again costs a day: one request a tick, shared by every watch with the same interval. Pure. */
import type { Watch } from "../model/watch.ts";

const DAY_MS = 86_400_000;

export interface RecheckCost {
  readonly requestsPerDay: number;
  /** Split evenly among the watches of an interval, so that parts add up. */
  readonly byWatch: ReadonlyMap<string, number>;
}

export const NO_RECHECKS: RecheckCost = { requestsPerDay: 0, byWatch: new Map() };

/** At most, as long as no more than a hundred tweets are fresh at once: a tick without any is not asked. */
export function recheckCost(watches: readonly Pick<Watch, "id" | "recheck">[]): RecheckCost {
  const sharers = new Map<number, string[]>();
  for (const { id, recheck } of watches) {
    if (recheck !== undefined) sharers.set(recheck.everyMs, [...(sharers.get(recheck.everyMs) ?? []), id]);
  }
  const parts = [...sharers].flatMap(([everyMs, ids]) => ids.map((id) => [id, DAY_MS / everyMs / ids.length] as const));
  return { requestsPerDay: parts.reduce((sum, [, requests]) => sum + requests, 0), byWatch: new Map(parts) };
}
