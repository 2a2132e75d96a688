/** One condition on a number, as the YAML writes it: `>= 25`, or `every 1000` for milestones. */

export type Comparison = ">=" | "<=" | ">" | "<";

/** `every`: crossed whenever a higher multiple of `value` is reached than ever before. */
export type Threshold =
  | { readonly name: string; readonly op: Comparison; readonly value: number }
  | { readonly name: string; readonly op: "every"; readonly value: number };

/**
 * Reads `>= 25`, `<= -60`, `> 1000`, `every 500`; undefined when it is neither a comparison nor a
 * positive step.
 */
export function parseThreshold(name: string, text: string): Threshold | undefined {
  const comparison = /^\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (comparison !== null)
    return { name, op: comparison[1] as Comparison, value: Number(comparison[2]) };
  const step = /^\s*every\s+(\d+(?:\.\d+)?)\s*$/.exec(text);
  const value = Number(step?.[1] ?? 0);
  return value > 0 ? { name, op: "every", value } : undefined;
}

/** As the YAML writes it. */
export const thresholdText = ({ op, value }: Threshold): string => `${op} ${value}`;

/**
 * How a threshold is named in `crossed`, beside the name of its number: `every 1000` becomes the
 * multiple reached.
 */
export const stepsReached = (step: number, reading: number): number =>
  Math.max(0, Math.floor(reading / step));

export function isCrossed({ op, value }: Threshold, reading: number): boolean {
  if (op === ">=") return reading >= value;
  if (op === "<=") return reading <= value;
  if (op === "every") return stepsReached(value, reading) > 0;
  return op === ">" ? reading > value : reading < value;
}

/**
 * Whether the reading came back by `rearm` (a share of the threshold), so that the next crossing
 * counts again.
 */
export function isRearmed(threshold: Threshold, reading: number, rearm: number): boolean {
  const margin = Math.abs(threshold.value) * rearm;
  const upward = threshold.op === ">=" || threshold.op === ">";
  return upward
    ? reading < threshold.value - margin || (margin === 0 && !isCrossed(threshold, reading))
    : reading > threshold.value + margin || (margin === 0 && !isCrossed(threshold, reading));
}
