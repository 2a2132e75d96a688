/** One who follows another, seen from either side. */

export interface Follow {
  /** User key of the other side. */
  readonly key: number;
  readonly atMs: number;
  /** When it ended or will end; absent where it lasts. */
  readonly untilMs?: number;
}
