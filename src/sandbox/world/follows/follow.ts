/** A follow, seen from one of its sides. */

export interface Follow {
  /** The user key of the other side. */
  readonly key: number;
  readonly atMs: number;
  /** When it ended or will end; absent if it never does. */
  readonly untilMs?: number;
}
