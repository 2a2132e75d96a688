/** Requests that contain many entries: how many fit, and how a longer list is divided. */

/**
 * The maximum number of entries in one request of /info-batch and of /tweet-info-bulk (api-v3.md,
 * Limits).
 */
export const BATCH_SIZE = 100;

/**
 * Divides items into batches, in their order. The last batch may be shorter. No items give no
 * batch.
 */
export const batchesOf = <T>(
  items: readonly T[],
  size: number = BATCH_SIZE,
): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
