/**
 * Remembers which handles of an account were reported to the operator. If several watches follow
 * one account, they see its rename at different times, but it is reported only once. Pure.
 */

/**
 * The reported handles of each account, oldest first, by user id. The accounts are in the order of
 * their last renames.
 */
export type AlertedHandles = Readonly<Record<string, readonly string[]>>;

const HANDLES_KEPT = 5;
const ACCOUNTS_KEPT = 1_000;

/**
 * Decides whether a rename must be reported, and returns the handles that are remembered
 * afterwards. A change from the last reported handle is new, even if it goes back to an earlier
 * one. If a watch still knew an older handle, handles that were reported since are not new.
 */
export function isNewHandle(
  reported: AlertedHandles,
  userId: string,
  from: string,
  to: string,
): { readonly isNew: boolean; readonly handles: Record<string, readonly string[]> } {
  const before = reported[`id:${userId}`] ?? [from];
  const isStep = before.at(-1) === from && to !== from;
  if (!isStep && before.includes(to)) return { isNew: false, handles: { ...reported } };
  const { [`id:${userId}`]: _, ...others } = reported;
  const kept = Object.entries(others).slice(1 - ACCOUNTS_KEPT);
  return {
    isNew: true,
    handles: Object.fromEntries([...kept, [`id:${userId}`, [...before, to].slice(-HANDLES_KEPT)]]),
  };
}
