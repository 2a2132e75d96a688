/**
 * Finds the changes in a record of values: numbers that crossed a threshold, values that changed,
 * or a record that is gone. Pure.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { isCrossed, isRearmed, stepsReached, type Threshold, thresholdText } from "./threshold.ts";

export interface ReadingRule {
  /** The name of the values in the event body, e.g. `score`. */
  readonly name: string;
  /**
   * Whether the event body contains the whole record under `name`, and not only the values that
   * were read.
   */
  readonly isWhole?: boolean;
  /** The values to read and to remember. */
  readonly fields: readonly string[];
  /** The dotted path of each value that is not a top-level field of the record. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Values by which the service says "unknown", so that they are not read. */
  readonly unknown?: readonly Scalar[];
  /**
   * The name of a flag of the record. While it is true, no value of the record is reliable, so none
   * is read.
   */
  readonly hiddenBy?: string;
  /** The field of the record that contains the account. It becomes `user` in the event body. */
  readonly account?: string;
  /**
   * Identifies what the values depend on besides the target, for example a setting. If it changes,
   * the values get a new baseline.
   */
  readonly subject?: string;
  /**
   * The user id of another account that the fact is about. Its profile becomes the body's `target`.
   */
  readonly target?: string;
  /**
   * Set if the fact is about the account's name, so that the event needs a newly requested profile
   * and not a cached one.
   */
  readonly freshProfile?: true;
  /**
   * Another record about the same account. It is requested only for an event, and is in the event
   * body under `name`.
   */
  readonly companion?: { readonly endpoint: string; readonly name: string };
  /** Additional fields under `name` in the event body, such as the parameters of the request. */
  readonly constants?: JsonObject;
  readonly crossing?: {
    /** The event type when any of the thresholds is crossed. */
    readonly event: string;
    readonly thresholds: readonly Threshold[];
    /**
     * The share of the threshold by which the value must go back beyond it before it can be crossed
     * again.
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
     * The event type when the record is missing from two answers in a row. The event body contains
     * the remembered values of the record.
     */
    readonly event: string;
  };
  /**
   * The name of a flag of the record. Further pages of the record are read until the flag is true.
   */
  readonly pagesUntil?: string;
}

type Scalar = string | number | boolean;
export type Reading = Readonly<Record<string, Scalar>>;

export interface ReadingMemory {
  readonly values: Reading;
  /**
   * The `subject` of the rule when the values were stored. Absent in memories of older releases,
   * which did not store it.
   */
  readonly subject?: string;
  /** The names of the thresholds that were crossed and are not re-armed yet. */
  readonly across: readonly string[];
  /** The highest multiple that was reached, for each threshold with `every`. */
  readonly steps?: Readonly<Record<string, number>>;
  /**
   * The thresholds as written when the values were stored, so that an edited threshold starts with
   * a new baseline. Absent in memories of older releases, which did not store them.
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
 * Returns the values of a record by name; undefined if there are none. Leaves out null, NaN, absent
 * values and the rule's `unknown` values.
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
 * Compares a reading with the memory. The first reading is the baseline: thresholds that it has
 * already crossed are recorded and raise no event. A value that is missing from a reading keeps its
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
  // A value that the rule does not read any more is forgotten. If a later rule reads it again, it
  // starts with a new baseline.
  const kept = Object.entries(memory?.values ?? {}).filter(([name]) => rule.fields.includes(name));
  const subject = rule.subject === undefined ? {} : { subject: rule.subject };
  const after = { values: { ...Object.fromEntries(kept), ...reading }, ...subject, ...crossing };
  return { memory: after, facts: factsOf(rule, crossed, changed), previous: memory?.values ?? {} };
}

/**
 * Whether a value differs from the remembered one. A value without a remembered one becomes its own
 * baseline and has not changed.
 */
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
