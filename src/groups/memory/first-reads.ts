/**
 * Makes the first reads of a group's members while the quota has reached its soft limit. Like any
 * baseline, these may use the reserve. The probe of all members that comes before them may not.
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
 * Reads the members that wait for their baseline, if the quota is the reason why their group could
 * not run.
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
