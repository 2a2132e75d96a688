/** A value crossed, moved or changed. */
/** One threshold on one number of the reading. */
export interface Threshold {
  readonly name: string;
  readonly op: ">=" | "<=" | ">" | "<";
  readonly value: number;
}

export interface ReadingRule {
  readonly event: string;
  /** Name under which the numbers stand in the event body. */
  readonly reading: string;
  readonly thresholds: readonly Threshold[];
  /** Share of the threshold the value must come back by before it can fire again. */
  readonly rearm: number;
}
