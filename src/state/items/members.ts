/**
 * Stores the members of lists: the accounts that complete reads of a list found and that have not
 * left it since.
 */
import type { Member, MembersChange } from "../../model/poll-store.ts";
import type { TargetRef } from "../../model/watch-store.ts";
import { type Executor, insertRows, listStatement, statement } from "../db/statement.ts";
import type { MembersTable } from "../db/tables.ts";
import { findSurvivor, knownOf } from "../watches/target-rows.ts";
import type { TargetRevisions } from "../watches/target-revisions.ts";

const known = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on
    .selectFrom("members")
    .select("user_id")
    .where("user_id", "in", list)
    .where("target_id", "=", slot("targetId")),
);

/** Returns one set per target, in the order of `refs`. */
export const knownMembers = (
  db: Executor,
  refs: readonly TargetRef[],
  userIds: readonly string[],
): Promise<readonly ReadonlySet<string>[]> =>
  knownOf(db, refs, async (targetId) =>
    (await known(db, userIds, { targetId })).rows.map((row) => row.user_id),
  );

const notSeenSince = statement<{ targetId: number; sinceMs: number }>()((on, slot) =>
  on
    .selectFrom("members")
    .selectAll()
    .where("target_id", "=", slot("targetId"))
    .where("seen_at", "<", slot("sinceMs"))
    .orderBy("seen_at")
    .orderBy("user_id"),
);

const countOf = statement<{ targetId: number }>()((on, slot) =>
  on
    .selectFrom("members")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("target_id", "=", slot("targetId")),
);

export async function absentMembers(db: Executor, ref: TargetRef, sinceMs: number) {
  const target = await findSurvivor(db, ref.watchKey, ref.targetKey);
  if (target === undefined) return { absent: [], memberCount: 0 };
  const { rows } = await notSeenSince(db, { targetId: target.id, sinceMs });
  const [counted] = (await countOf(db, { targetId: target.id })).rows;
  return { absent: rows.map(memberOf), memberCount: Number(counted?.count ?? 0) };
}

const memberOf = (row: MembersTable): Member & { readonly seenAtMs: number } => ({
  id: row.user_id,
  username: row.username,
  displayName: row.display_name,
  followersCount: row.followers_count,
  imageUrl: row.image_url,
  seenAtMs: row.seen_at,
});

const upsert = insertRows(
  "members",
  ["target_id", "user_id", "seen_at", "username", "display_name", "followers_count", "image_url"],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(["target_id", "user_id"]).doUpdateSet((eb) => ({
        seen_at: eb.ref("excluded.seen_at"),
        username: eb.ref("excluded.username"),
        display_name: eb.ref("excluded.display_name"),
        followers_count: eb.ref("excluded.followers_count"),
        image_url: eb.ref("excluded.image_url"),
      })),
    ),
);

const remove = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on.deleteFrom("members").where("user_id", "in", list).where("target_id", "=", slot("targetId")),
);

/** Applies changes of members. Returns false if one of them names a removed target. */
export async function applyMembers(
  on: Executor,
  targets: TargetRevisions,
  changes: readonly MembersChange[],
): Promise<boolean> {
  for (const change of changes) {
    const target = await targets.find(change);
    if (target === undefined) return false;
    await upsert(
      on,
      change.seen.map((member) => memberRow(target.id, change.seenAtMs, member)),
    );
    if (change.left.length > 0) await remove(on, change.left, { targetId: target.id });
  }
  return true;
}

const memberRow = (targetId: number, seenAtMs: number, member: Member): MembersTable => ({
  target_id: targetId,
  user_id: member.id,
  seen_at: seenAtMs,
  username: member.username,
  display_name: member.displayName,
  followers_count: member.followersCount,
  image_url: member.imageUrl,
});
