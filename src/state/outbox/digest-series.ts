/**
 * Spreads the alerts of a digest over several digests if there are too many for one: each digest
 * but the last says how many alerts are left for the next.
 */
import type { DueGroup } from "../../model/outbox.ts";
import { GROUPED, WAITING } from "../db/literals.ts";
import { type Executor, statement } from "../db/statement.ts";

export const DIGEST_AT_ONCE = 5_000;

const countMembers = statement<{ sink: string; groupKey: string; now: number }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", WAITING)
    .where("grouped", "=", GROUPED)
    .where("sink", "=", slot("sink"))
    .where("group_key", "=", slot("groupKey"))
    .where("due_at", "<=", slot("now")),
);

/**
 * Returns how a digest is split; undefined if it is not. Alerts that were already due when the
 * group was last sealed are left over from the previous digest.
 */
export async function seriesOf(
  db: Executor,
  {
    group_key: groupKey,
    last_sealed_at: sealedAt,
  }: { readonly group_key: string; readonly last_sealed_at: number | null },
  {
    sink,
    now,
    dueAtMs,
  }: { readonly sink: string; readonly now: number; readonly dueAtMs: readonly number[] },
): Promise<DueGroup["series"]> {
  const isContinued = sealedAt !== null && dueAtMs.some((dueAt) => dueAt <= Number(sealedAt));
  const all =
    dueAtMs.length < DIGEST_AT_ONCE
      ? dueAtMs.length
      : Number((await countMembers(db, { sink, groupKey, now })).rows[0]?.count);
  return isContinued || all > dueAtMs.length
    ? { isContinued, left: all - dueAtMs.length }
    : undefined;
}
