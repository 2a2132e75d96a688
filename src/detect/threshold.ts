/** One comparison with a number, as the YAML writes it: `>= 25`. */

export type Comparison = ">=" | "<=" | ">" | "<";

export interface Threshold {
  readonly name: string;
  readonly op: Comparison;
  readonly value: number;
}

/** Reads `>= 25`, `<= -60`, `> 1000`; undefined when it is no comparison. */
export function parseThreshold(name: string, text: string): Threshold | undefined {
  const match = /^\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (match === null) return undefined;
  return { name, op: match[1] as Comparison, value: Number(match[2]) };
}

export function isCrossed({ op, value }: Threshold, reading: number): boolean {
  if (op === ">=") return reading >= value;
  if (op === "<=") return reading <= value;
  return op === ">" ? reading > value : reading < value;
}

/** Whether the reading came back by `rearm` (a share of the threshold), so that the next crossing counts again. */
export function isRearmed(threshold: Threshold, reading: number, rearm: number): boolean {
  const margin = Math.abs(threshold.value) * rearm;
  const upward = threshold.op === ">=" || threshold.op === ">";
  return upward
    ? reading < threshold.value - margin || (margin === 0 && !isCrossed(threshold, reading))
    : reading > threshold.value + margin || (margin === 0 && !isCrossed(threshold, reading));
}
