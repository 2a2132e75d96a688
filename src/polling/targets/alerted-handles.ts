/** Which handles of an account the operator was told of: watches of one account notice a rename at different times, and it is told once. Pure. */

/** By user id, oldest first; accounts in the order of their last renames. */
export type AlertedHandles = Readonly<Record<string, readonly string[]>>;

const HANDLES_KEPT = 5;
const ACCOUNTS_KEPT = 1_000;

/**
 * A step on from the last handle told is news, also back to one it had before. Whoever still knew an older handle comes late: to that
 * one, what was told since is none.
 */
export function isNewHandle(
  told: AlertedHandles,
  userId: string,
  from: string,
  to: string,
): { readonly isNew: boolean; readonly handles: Record<string, readonly string[]> } {
  const before = told[`id:${userId}`] ?? [from];
  const isStep = before.at(-1) === from && to !== from;
  if (!isStep && before.includes(to)) return { isNew: false, handles: { ...told } };
  const { [`id:${userId}`]: _, ...others } = told;
  const kept = Object.entries(others).slice(1 - ACCOUNTS_KEPT);
  return { isNew: true, handles: Object.fromEntries([...kept, [`id:${userId}`, [...before, to].slice(-HANDLES_KEPT)]]) };
}
