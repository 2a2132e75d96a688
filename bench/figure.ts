/** The result of one benchmark: one line for each figure, in the terms of bench/README.md. */

export interface Figure {
  readonly name: string;
  readonly value: string;
  /**
   * Ratios of figures of the same run, and counts, by their names in the history. They depend
   * little on the machine, and less is better.
   */
  readonly ratios?: Readonly<Record<string, number>>;
}

/** Measures one thing and leaves nothing behind: no process, no file. */
export type Bench = () => Promise<readonly Figure[]>;
