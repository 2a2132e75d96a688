/**
 * Finds what changed in a record: numbers that crossed a threshold, values that changed, a record
 * that is gone. Pure.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { isCrossed, isRearmed, stepsReached, type Threshold, thresholdText } from "./threshold.ts";

export interface ReadingRule {
  /** The name of the values in the event body, e.g. `score`. */
  readonly name: string;
  /** Whether the body has the whole record under that name, not just the values that were read. */
  readonly isWhole?: boolean;
  /** The values to read and to remember. */
  readonly fields: readonly string[];
  /** The path of a value, with dots, if it is not under its own name. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Values that stand for "unknown" at the service, so that they are not read. */
  readonly unknown?: readonly Scalar[];
  /** The name of a flag. While it is true, nothing in the record is reliable. */
  readonly hiddenBy?: string;
  /** The field of the record with the account that it is about, which becomes the body's `user`. */
  readonly account?: string;
  /**
   * Identifies what else the values depend on, besides the target. If it changes, the values get a
   * new baseline.
   */
  readonly subject?: string;
  /**
   * The user id of another account that the fact is about. Its profile becomes the body's `target`.
   */
  readonly target?: string;
  /**
   * Set if the fact is about the account's name, so that the event needs a newly requested profile
   * instead of a cached one.
   */
  readonly freshProfile?: true;
  /**
   * Another record about the same account that is requested only if there is an event, and its name
   * in the body.
   */
  readonly companion?: { readonly endpoint: string; readonly name: string };
  /** Further fields under `name` in the body besides the values, e.g. what was requested. */
  readonly constants?: JsonObject;
  readonly crossing?: {
    /** The event type when any of the thresholds is crossed. */
    readonly event: string;
    readonly thresholds: readonly Threshold[];
    /**
     * The share of the threshold by which the value must come back before it can be crossed again.
     */
    readonly rearm: number;
  };
  readonly changes?: {
    /** The event type when any of these fields has a different value than before. */
    readonly event: string;
    readonly fields: readonly string[];
  };
  readonly gone?: {
    /**
     * The event type when the record is missing from two answers in a row. The body holds the
     * record as it was last remembered.
     */
    readonly event: string;
  };
  /** The name of a flag. Pages of a record are read until it is true. */
  readonly pagesUntil?: string;
}

type Scalar = string | number | boolean;
export type Reading = Readonly<Record<string, Scalar>>;

export interface ReadingMemory {
  readonly values: Reading;
  /**
   * The rule's subject at that time. Absent in memories of older releases, which did not store it.
   */
  readonly subject?: string;
  /** The names of the thresholds that were crossed and are not re-armed yet. */
  readonly across: readonly string[];
  /** The highest multiple that was reached, for each threshold with `every`. */
  readonly steps?: Readonly<Record<string, number>>;
  /**
   * The thresholds as they were, so that an edited one starts with a new baseline. Absent in
   * memories of older releases, which did not store them.
   */
  readonly thresholds?: Readonly<Record<string, string>>;
}

/** The content of one event. Facts of one event type share an event. */
export interface ReadingFact {
  readonly event: string;
  /** The names of the numbers that crossed a threshold. */
  readonly crossed: readonly string[];
  /** The names of the values that changed. */
  readonly changed: readonly string[];
}

export interface ReadingFinding {
  readonly memory: ReadingMemory;
  /** Empty if there is no event. */
  readonly facts: readonly ReadingFact[];
  readonly previous: Reading;
}

/**
 * Reads the values of a record by name; undefined if there are none. Null, NaN, absent values and
 * those that the rule calls unknown are not read.
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
 * Compares a reading with the memory. The first reading is the baseline: thresholds that are
 * already crossed are recorded and raise no event. A name that is missing from a reading keeps its
 * state.
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
  // A value that is no longer read is forgotten. If it is read again one day, it starts with a new
  // baseline.
  const kept = Object.entries(memory?.values ?? {}).filter(([name]) => rule.fields.includes(name));
  const subject = rule.subject === undefined ? {} : { subject: rule.subject };
  const after = { values: { ...Object.fromEntries(kept), ...reading }, ...subject, ...crossing };
  return { memory: after, facts: factsOf(rule, crossed, changed), previous: memory?.values ?? {} };
}

/** A value seen for the first time is its own baseline, so it has not changed. */
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

/**
 * Whether a threshold has no baseline yet, because its number is seen for the first time or the
 * threshold was edited.
 */
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
 * Returns the part of the event's body that describes a fact: the values under the rule's `name`,
 * the previous values, and what crossed or changed. The account is added elsewhere.
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
