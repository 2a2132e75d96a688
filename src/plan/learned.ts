/** What daemons have learned of how often is posted and how much is asked: what planning goes by beside the configuration. */
import type { GroupCounted } from "./group-count.ts";

/** Undefined where nothing was learned. */
export interface Learned {
  /** Posts a day of an account by its id, looks a day at a list by its poll's key, reads of a feed by its `shareKey`, as a share of even ones. */
  rateOf(key: string): number | undefined;
  /** How a group of so many accounts is read, and what that took; by its key. */
  countOf(key: string, members: number): GroupCounted | undefined;
  /** Changes a day of an account of a group, by its key, that no post accounts for. */
  changesOf(key: string): number | undefined;
}

export const NOTHING_LEARNED: Learned = { rateOf: () => undefined, countOf: () => undefined, changesOf: () => undefined };
