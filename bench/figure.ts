/** What one benchmark hands back: a line each, in the words of bench/README.md. */

export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** Measures one thing and leaves nothing behind: no process, no file. */
export type Bench = () => Promise<readonly Figure[]>;
