/**
 * Describes the long member lists of a watch from the memory of its targets: how far their first
 * read is, and how often they are read completely. Makes no requests.
 */
import type { TargetState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { memberCountOf, readSoFar, wholeReadEveryMs } from "../../plan/polls/whole-reads.ts";
import type { MemberListView } from "../../server/schema/watch-view.ts";
import { watchTypeOf } from "../../watches/registry.ts";

export function memberListViews(
  watch: Watch,
  targets: readonly TargetState[],
): readonly MemberListView[] {
  const { detection } = watchTypeOf(watch);
  if (detection.detector !== "roster") return [];
  return targets.flatMap((target) => {
    const { mode } = detection.rule(watch.settings, target);
    if (mode === "window") return [];
    const everyMs = wholeReadEveryMs([{ watch }], memberCountOf(target.memory) ?? 0);
    const firstRead =
      watch.fullReadEveryMs === Number.POSITIVE_INFINITY
        ? null
        : (readSoFar(target.memory) ?? null);
    // A list that is too long for a complete read is shown, unless the watch sets
    // `full_read_every`.
    const isLeftOut =
      mode !== "whole" && watch.fullReadEveryMs === undefined && !Number.isFinite(everyMs);
    if (firstRead === null && !isLeftOut) return [];
    return [
      {
        target: target.name,
        members: memberCountOf(target.memory) ?? null,
        first_read_members: firstRead,
        tells_newcomers: mode === "newest",
        whole_read_every_seconds:
          mode === "whole" ? 0 : Number.isFinite(everyMs) ? everyMs / 1_000 : null,
      },
    ];
  });
}
