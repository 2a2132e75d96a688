/**
 * What a record says that it did not say before: numbers that crossed, values that changed, a
 * record that is gone. Pure; knows no API.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { isCrossed, isRearmed, stepsReached, type Threshold, thresholdText } from "./threshold.ts";

export interface ReadingRule {
  /** Name of the values in the event body, e.g. `score`. */
  readonly name: string;
  /** Whether the body carries the whole record under that name, not just the values read. */
  readonly isWhole?: boolean;
  /** Values to read and to remember. */
  readonly fields: readonly string[];
  /** Where a value stands, as a dotted path, when not under its own name. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Values that say nothing: what the service writes when it does not know. */
  readonly unknown?: readonly Scalar[];
  /** Name of a flag: while it is true nothing in the record can be believed. */
  readonly hiddenBy?: string;
  /** Field of the record that holds the account it is about: the body's `user`. */
  readonly account?: string;
  /** What the values are about besides the target: of another one they are another baseline. */
  readonly subject?: string;
  /** User id of another account that the fact is about: its profile is the body's `target`. */
  readonly target?: string;
  /**
   * The fact is about the account's name: the profile in the event is asked for anew, not one that
   * was kept.
   */
  readonly freshProfile?: true;
  /**
   * Another record about the same account that is asked for only when there is an event, and where
   * the body has it.
   */
  readonly companion?: { readonly endpoint: string; readonly name: string };
  /** What the body says under `name` besides the values, e.g. what was asked. */
  readonly constants?: JsonObject;
  readonly crossing?: {
    /** Event type to give when any of the thresholds is crossed. */
    readonly event: string;
    readonly thresholds: readonly Threshold[];
    /** Share of the threshold the value must come back by before it can fire again. */
    readonly rearm: number;
  };
  readonly changes?: {
    /** Event type to give when any of these fields has another value than before. */
    readonly event: string;
    readonly fields: readonly string[];
  };
  readonly gone?: {
    /**
     * Event type to give when the record is missing from two answers in a row. Its body is the
     * record as it was last remembered.
     */
    readonly event: string;
  };
  /** Name of a flag: pages of a record are read on until it is true. */
  readonly pagesUntil?: string;
}

type Scalar = string | number | boolean;
export type Reading = Readonly<Record<string, Scalar>>;

export interface ReadingMemory {
  readonly values: Reading;
  /** Of the rule. Absent in memories from before it was kept. */
  readonly subject?: string;
  /** Names of the thresholds that are across and not re-armed. */
  readonly across: readonly string[];
  /** Highest multiple reached, of `every` thresholds. */
  readonly steps?: Readonly<Record<string, number>>;
  /**
   * The thresholds as they were: one that was edited starts anew. Absent in memories from before
   * they were kept.
   */
  readonly thresholds?: Readonly<Record<string, string>>;
}

/** One event's worth; facts of one event type share an event. */
export interface ReadingFact {
  readonly event: string;
  /** Names of the numbers that crossed. */
  readonly crossed: readonly string[];
  /** Names of the values that changed. */
  readonly changed: readonly string[];
}

export interface ReadingFinding {
  readonly memory: ReadingMemory;
  /** Empty when there is no event. */
  readonly facts: readonly ReadingFact[];
  readonly previous: Reading;
}

/**
 * Values of a record by name; undefined when there is none: null, NaN, absent and what the rule
 * calls unknown are no reading.
 */
export function readValues(
  record: Readonly<Record<string, unknown>>,
  rule: Pick<ReadingRule, "fields" | "paths" | "unknown" | "hiddenBy">,
): Reading | undefined {
  if (rule.hiddenBy !== undefined && record[rule.hiddenBy] === true) return undefined;
  const isKnown = (value: unknown): value is Scalar =>
    isScalar(value) && !(rule.unknown ?? []).includes(value);
  const entries = rule.fields
    .map((name) => [name, valueAt(record, rule.paths?.[name] ?? name)] as const)
    .filter((entry): entry is [string, Scalar] => isKnown(entry[1]));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const valueAt = (record: Readonly<Record<string, unknown>>, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      record,
    );

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value));

/**
 * The first reading is the baseline: thresholds already across are recorded and raise no event. A
 * name missing from a reading keeps its state.
 */
export function detectReading(
  stored: ReadingMemory | undefined,
  reading: Reading,
  rule: ReadingRule,
): ReadingFinding {
  const memory =
    stored?.subject === undefined || stored.subject === rule.subject ? stored : undefined;
  const { crossed, ...crossing } = detectCrossing(
    memory,
    reading,
    rule.crossing?.thresholds ?? [],
    rule.crossing?.rearm ?? 0,
  );
  const changed =
    memory === undefined
      ? []
      : (rule.changes?.fields ?? []).filter((name) =>
          hasChanged(memory.values[name], reading[name]),
        );
  // What is no longer read is forgotten: read again one day, it is its own baseline.
  const kept = Object.entries(memory?.values ?? {}).filter(([name]) => rule.fields.includes(name));
  const subject = rule.subject === undefined ? {} : { subject: rule.subject };
  const after = { values: { ...Object.fromEntries(kept), ...reading }, ...subject, ...crossing };
  return { memory: after, facts: factsOf(rule, crossed, changed), previous: memory?.values ?? {} };
}

/** A value seen for the first time is its own baseline. */
const hasChanged = (before: Scalar | undefined, now: Scalar | undefined): boolean =>
  before !== undefined && now !== undefined && before !== now;

function detectCrossing(
  memory: ReadingMemory | undefined,
  reading: Reading,
  thresholds: readonly Threshold[],
  rearm: number,
) {
  const across = new Set<string>();
  const steps: Record<string, number> = {};
  const texts: Record<string, string> = {};
  const crossed: string[] = [];
  for (const threshold of thresholds) {
    const { name, value: limit } = threshold;
    const value = reading[name];
    const isNew = isNewThreshold(memory, threshold);
    if (!isNew || typeof value === "number") texts[name] = thresholdText(threshold);
    if (!isNew && memory?.across.includes(name)) across.add(name);
    const highest = isNew ? 0 : (memory?.steps?.[name] ?? 0);
    if (threshold.op === "every") steps[name] = highest;
    if (typeof value !== "number") continue;
    if (threshold.op === "every") {
      const reached = stepsReached(limit, value);
      if (reached > highest && !isNew) crossed.push(name);
      steps[name] = Math.max(reached, highest);
    } else if (across.has(name)) {
      if (isRearmed(threshold, value, rearm)) across.delete(name);
    } else if (isCrossed(threshold, value)) {
      across.add(name);
      if (!isNew) crossed.push(name);
    }
  }
  return {
    crossed,
    across: [...across],
    ...(Object.keys(steps).length === 0 ? {} : { steps }),
    ...(thresholds.length === 0 ? {} : { thresholds: texts }),
  };
}

/** A number seen for the first time, and a threshold written anew, are their own baseline. */
function isNewThreshold(memory: ReadingMemory | undefined, threshold: Threshold): boolean {
  if (memory?.values[threshold.name] === undefined) return true;
  return (
    memory.thresholds !== undefined &&
    memory.thresholds[threshold.name] !== thresholdText(threshold)
  );
}

function factsOf(
  rule: ReadingRule,
  crossed: readonly string[],
  changed: readonly string[],
): readonly ReadingFact[] {
  const crossing = crossed.length > 0 ? rule.crossing?.event : undefined;
  const change = changed.length > 0 ? rule.changes?.event : undefined;
  if (crossing !== undefined && crossing === change) return [{ event: crossing, crossed, changed }];
  return [
    ...(crossing === undefined ? [] : [{ event: crossing, crossed, changed: [] }]),
    ...(change === undefined ? [] : [{ event: change, crossed: [], changed }]),
  ];
}

/**
 * What the event's body says of a fact, beside the account: the values under their name, and what
 * they were.
 */
export function factBody(
  rule: ReadingRule,
  fact: ReadingFact,
  record: Readonly<Record<string, Json | undefined>>,
  finding: ReadingFinding,
) {
  return {
    [rule.name]: { ...rule.constants, ...(rule.isWhole === true ? record : finding.memory.values) },
    previous: finding.previous,
    crossed: fact.crossed,
    changed: fact.changed,
  };
}
