/** The minimum number of accounts whose disappearance at the same moment is suspicious. */
const MIN_ACCOUNTS = 3;

/**
 * Whether an answer that shows none of the probed accounts is probably wrong, because several of
 * them were shown before. `shown` says for each account whether it was shown before and whether it
 * is shown now.
 */
export function isSuspiciousProbe(
  shown: readonly { readonly before: boolean; readonly now: boolean }[],
): boolean {
  return (
    shown.every(({ now }) => !now) && shown.filter(({ before }) => before).length >= MIN_ACCOUNTS
  );
}
