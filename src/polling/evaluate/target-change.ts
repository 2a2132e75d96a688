/** Creates changes of a target's memory and status for a commit. */
import type { JsonObject } from "../../model/json.ts";
import type { PollStore, TargetChange } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";

/**
 * Returns the part of a change that names the target and the revision that was read. If the target
 * was changed since then, the commit is a conflict.
 */
export const changeOf = ({
  watchKey,
  key,
  revision,
}: TargetState): Pick<TargetChange, "watchKey" | "targetKey" | "expectedRevision"> => ({
  watchKey,
  targetKey: key,
  expectedRevision: revision,
});

/** The status of a target that can be read. */
export const WELL = { status: "ok", statusReason: "" } as const;

/**
 * Merges `patch` into the memory of a target and commits nothing else. Resolves to the changed
 * target. Undefined after a conflict.
 */
export async function remember(
  store: Pick<PollStore, "commitPoll">,
  target: TargetState,
  patch: JsonObject,
  atMs: number,
): Promise<TargetState | undefined> {
  const memory = { ...target.memory, ...patch };
  const targets = [{ ...changeOf(target), memory }];
  const { status } = await store.commitPoll({
    atMs,
    targets,
    verdicts: [],
    events: [],
    deliveries: [],
  });
  return status === "committed" ? { ...target, memory, revision: target.revision + 1 } : undefined;
}
