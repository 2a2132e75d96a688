/**
 * Makes a delivery that a mute or a digest holds back join the delivery that another watch sends
 * sooner.
 */
import { refreshGroup } from "./group-timers.ts";
import { MERGED, WAITING } from "../db/literals.ts";
import { type Executor, statement } from "../db/statement.ts";

export interface HeldReplacement {
  readonly heldId: number;
  readonly byId: number;
}

const joinOne = statement<HeldReplacement>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({
      state: "merged",
      detail: "delivered together with another watch, which goes out sooner",
      joined_id: slot("byId"),
    })
    .where("id", "=", slot("heldId"))
    .where("state", "=", WAITING)
    .returning(["sink", "group_key"]),
);

/** Makes the deliveries that had joined the held one join the new one. */
const joinItsOwn = statement<HeldReplacement>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({ joined_id: slot("byId") })
    .where("joined_id", "=", slot("heldId"))
    .where("joined_id", "is not", null)
    .where("state", "=", MERGED),
);

/**
 * Makes held deliveries join those that replace them. Called once the replacing deliveries and the
 * timers of their groups are stored.
 */
export async function replaceHeld(
  on: Executor,
  replacements: readonly HeldReplacement[],
): Promise<void> {
  for (const replacement of replacements) {
    const { rows } = await joinOne(on, replacement);
    await joinItsOwn(on, replacement);
    for (const { sink, group_key: groupKey } of rows) await refreshGroup(on, sink, groupKey, null);
  }
}
