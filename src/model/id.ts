/** Platform ids: strings of digits beyond 2^53, never numbers. */

/** Compares ids in the order of their numbers: by length, then by text. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const maxId = (a: string, b: string): string => (compareIds(a, b) >= 0 ? a : b);
export const minId = (a: string, b: string): string => (compareIds(a, b) <= 0 ? a : b);

const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657n; // docs/service.md section 2

/** Returns the creation time, in epoch ms, that a tweet id contains in its upper bits. */
export const timeOfTweetId = (id: string): number =>
  Number((BigInt(id) >> 22n) + SNOWFLAKE_EPOCH_MS);

/** Returns the smallest tweet id that could be created at `epochMs`. */
export const tweetIdAt = (epochMs: number): string => {
  const shifted = (BigInt(Math.floor(epochMs)) - SNOWFLAKE_EPOCH_MS) << 22n;
  return shifted > 0n ? shifted.toString() : "0";
};
