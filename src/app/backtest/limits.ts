/** Says what no replay can know, in sentences. Pure. */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type { Watch } from "../../model/watch.ts";

export interface ReplayedTimes {
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly startMs: number;
  readonly firstAtMs: number | null;
  /** The number of events that have no stored answer of their enrichment. */
  readonly unanswered: number;
}

export function limitsOf(
  active: Config,
  tried: Config,
  { sinceMs, fromMs, startMs, firstAtMs, unanswered }: ReplayedTimes,
): readonly string[] {
  const limits: string[] = [];
  if (firstAtMs !== null && fromMs > sinceMs)
    limits.push(`The archive begins at ${isoTime(firstAtMs)}: what lies before is not known.`);
  else if (firstAtMs !== null && firstAtMs > startMs)
    limits.push(
      `The archive begins at ${isoTime(firstAtMs)}: windows that reach further back start empty.`,
    );
  limits.push(...unreplayedChanges(active, tried));
  limits.push("Values between two reads, and counts at another moment, are not known.");
  limits.push(
    "Repeats and ends of alerts on values, alerts on the volume of a watch, ops alerts and reports are not replayed.",
  );
  if (tried.watches.some(({ enrich }) => enrich !== undefined))
    limits.push(
      unanswered === 0
        ? "Enrichments use the stored answers, at the times at which these came."
        : `Enrichments use the stored answers; ${unanswered} alerts have none and are replayed without.`,
    );
  return limits;
}

/** The settings that only decide what is polled and detected. A replay repeats neither. */
const UNREPLAYED: Readonly<Record<string, (watch: Watch) => unknown>> = {
  schedule: ({ timing }) => timing,
  max_age: ({ maxAgeMs }) => maxAgeMs,
  first_run: ({ firstRun }) => firstRun,
};
const MAX_NAMES = 5;

/** Names the settings whose change has no effect on a replay, and the watches that change them. */
function unreplayedChanges(active: Config, tried: Config): readonly string[] {
  const before = new Map(active.watches.map((watch) => [watch.id, watch]));
  const changed = Object.entries(UNREPLAYED).flatMap(([name, valueOf]) => {
    const ids = tried.watches.flatMap((watch) => {
      const old = before.get(watch.id);
      const isSame =
        old === undefined || JSON.stringify(valueOf(old)) === JSON.stringify(valueOf(watch));
      return isSame ? [] : [watch.id];
    });
    return ids.length === 0 ? [] : [`${name} of ${namesOf(ids)}`];
  });
  if (changed.length === 0) return [];
  return [
    `Another ${changed.join(", another ")} changes nothing here: what was polled and detected stays.`,
  ];
}

const namesOf = (ids: readonly string[]): string =>
  ids.length <= MAX_NAMES
    ? ids.join(", ")
    : `${ids.slice(0, MAX_NAMES).join(", ")} and ${ids.length - MAX_NAMES} more`;
