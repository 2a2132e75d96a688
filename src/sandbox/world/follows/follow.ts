/** A follow, as an entry of the follower's or of the followed account's list. */

export interface Follow {
  /** The user key of the account at the other end. */
  readonly key: number;
  readonly atMs: number;
  /** When the follow ends or has ended (epoch ms); absent if it never ends. */
  readonly untilMs?: number;
}
