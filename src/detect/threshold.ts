/**
 * Parses and evaluates one condition on a number, as written in YAML: `>= 25`, or `every 1000` for
 * milestones.
 */

export type Comparison = ">=" | "<=" | ">" | "<";

/**
 * A condition on the number `name`. `every` is crossed whenever a higher multiple of `value` is
 * reached than ever before.
 */
export type Threshold =
  | { readonly name: string; readonly op: Comparison; readonly value: number }
  | { readonly name: string; readonly op: "every"; readonly value: number };

/**
 * Parses `>= 25`, `<= -60`, `> 1000` or `every 500`; undefined if the text is neither a comparison
 * nor a positive step.
 */
export function parseThreshold(name: string, text: string): Threshold | undefined {
  const comparison = /^\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (comparison !== null)
    return { name, op: comparison[1] as Comparison, value: Number(comparison[2]) };
  const step = /^\s*every\s+(\d+(?:\.\d+)?)\s*$/.exec(text);
  const value = Number(step?.[1] ?? 0);
  return value > 0 ? { name, op: "every", value } : undefined;
}

/** Returns the condition as written in YAML. */
export const thresholdText = ({ op, value }: Threshold): string => `${op} ${value}`;

/** Returns how many whole steps a reading has reached. */
export const stepsReached = (step: number, reading: number): number =>
  Math.max(0, Math.floor(reading / step));

export function isCrossed({ op, value }: Threshold, reading: number): boolean {
  if (op === ">=") return reading >= value;
  if (op === "<=") return reading <= value;
  if (op === "every") return stepsReached(value, reading) > 0;
  return op === ">" ? reading > value : reading < value;
}

/**
 * Whether a reading has gone back beyond the threshold by `rearm`, a share of the threshold, so
 * that the next crossing counts again.
 */
export function isRearmed(threshold: Threshold, reading: number, rearm: number): boolean {
  const margin = Math.abs(threshold.value) * rearm;
  const upward = threshold.op === ">=" || threshold.op === ">";
  return upward
    ? reading < threshold.value - margin || (margin === 0 && !isCrossed(threshold, reading))
    : reading > threshold.value + margin || (margin === 0 && !isCrossed(threshold, reading));
}
