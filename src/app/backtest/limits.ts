/** Says what no replay can know, in sentences. Pure. */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";

export interface ReplayedTimes {
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly startMs: number;
  readonly firstAtMs: number | null;
  /** The number of events that have no stored answer of their enrichment. */
  readonly unanswered: number;
}

export function limitsOf(
  { watches }: Config,
  { sinceMs, fromMs, startMs, firstAtMs, unanswered }: ReplayedTimes,
): readonly string[] {
  const limits: string[] = [];
  if (firstAtMs !== null && fromMs > sinceMs)
    limits.push(`The archive begins at ${isoTime(firstAtMs)}: what lies before is not known.`);
  else if (firstAtMs !== null && firstAtMs > startMs)
    limits.push(
      `The archive begins at ${isoTime(firstAtMs)}: windows that reach further back start empty.`,
    );
  limits.push("Values between two reads, and counts at another moment, are not known.");
  limits.push(
    "Repeats and ends of alerts on values, alerts on the volume of a watch, ops alerts and reports are not replayed.",
  );
  if (watches.some(({ enrich }) => enrich !== undefined))
    limits.push(
      unanswered === 0
        ? "Enrichments use the stored answers and their time is not replayed."
        : `Enrichments use the stored answers; ${unanswered} alerts have none and are replayed without.`,
    );
  return limits;
}
