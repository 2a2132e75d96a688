/** A value that crosses thresholds: fires on crossing, re-arms when it came back. Pure; knows no API. */
import { isCrossed, isRearmed, type Threshold } from "./threshold.ts";

export interface ReadingRule {
  /** Event type to give. */
  readonly event: string;
  /** Name of the numbers in the event body, e.g. `score`. */
  readonly reading: string;
  /** Names of the numbers to read. */
  readonly fields: readonly string[];
  readonly thresholds: readonly Threshold[];
  /** Share of the threshold the value must come back by before it can fire again. */
  readonly rearm: number;
}

export type Reading = Readonly<Record<string, number>>;

export interface ReadingMemory {
  readonly values: Reading;
  /** Names of the thresholds that are across and not re-armed. */
  readonly across: readonly string[];
}

export interface ReadingFinding {
  readonly memory: ReadingMemory;
  /** Names that crossed with this reading; empty when nothing is to be told. */
  readonly crossed: readonly string[];
  readonly previous: Reading;
}

/** Numbers of a record by name; undefined when none of the names holds a finite number: null, NaN and absent are no reading. */
export function readNumbers(record: Readonly<Record<string, unknown>>, names: readonly string[]): Reading | undefined {
  const entries = names
    .map((name) => [name, record[name]] as const)
    .filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The first reading is the baseline: thresholds already across are noted, not told. A name missing from a reading keeps its state. */
export function detectReading(memory: ReadingMemory | undefined, reading: Reading, rule: ReadingRule): ReadingFinding {
  const across = new Set(memory?.across ?? []);
  const crossed: string[] = [];
  for (const threshold of rule.thresholds) {
    const value = reading[threshold.name];
    if (value === undefined) continue;
    if (across.has(threshold.name)) {
      if (isRearmed(threshold, value, rule.rearm)) across.delete(threshold.name);
    } else if (isCrossed(threshold, value)) {
      across.add(threshold.name);
      // A number seen for the first time is its own baseline.
      if (memory?.values[threshold.name] !== undefined) crossed.push(threshold.name);
    }
  }
  return { memory: { values: { ...memory?.values, ...reading }, across: [...across] }, crossed, previous: memory?.values ?? {} };
}
