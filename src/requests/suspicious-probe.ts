/** Whether an answer that misses many accounts is to be believed. */

/** So many accounts do not go at the same moment. */
const TOO_MANY_TO_GO = 3;

/**
 * Whether a probe that shows nobody says nothing: of all that were shown before, none is left.
 * `shown`: before, and now.
 */
export function isSuspiciousProbe(
  shown: readonly { readonly before: boolean; readonly now: boolean }[],
): boolean {
  return (
    shown.every(({ now }) => !now) && shown.filter(({ before }) => before).length >= TOO_MANY_TO_GO
  );
}
