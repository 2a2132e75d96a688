/**
 * Makes the first reads of a group's members while the quota has reached its soft limit. First
 * reads may use the reserve above that limit, but the group's probe, which normally precedes them,
 * may not.
 */
import type { WatchStore } from "../../model/watch-store.ts";
import { isFirstRead } from "../../polling/read/baselines.ts";
import { sideBySide } from "../../polling/run/side-by-side.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { GroupReading } from "./group-reading.ts";

export interface FirstReadsDeps {
  readonly store: Pick<WatchStore, "loadTargets">;
  readonly reading: Pick<GroupReading, "alone" | "cooldowns">;
}

/**
 * Reads the members whose baseline is not complete, if the quota is the reason why the run of their
 * group failed.
 */
export async function readFirst(
  { group }: Poll,
  error: unknown,
  { store, reading }: FirstReadsDeps,
): Promise<void> {
  if (group === undefined || !(error instanceof RequestHeld) || error.reason !== "quota") return;
  await sideBySide(group.members, async (member) => {
    if (
      reading.cooldowns.isCoolingDown(member.key) ||
      !isFirstRead(member, await store.loadTargets(member.subscribers))
    )
      return;
    await reading.alone(member);
  });
}
