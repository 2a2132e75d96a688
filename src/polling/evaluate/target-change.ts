/** Changes to a target's memory and status, as part of a commit. */
import type { JsonObject } from "../../model/json.ts";
import type { PollStore, TargetChange } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";

/**
 * Returns the change of a target as it was read. If the target was changed since, the commit is a
 * conflict.
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
 * Commits a new memory and nothing else. Resolves to the changed target; undefined after a
 * conflict.
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
