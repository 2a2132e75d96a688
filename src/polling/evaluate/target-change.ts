/** How a target's memory and status are changed in a commit. */
import type { JsonObject } from "../../model/json.ts";
import type { PollStore, TargetChange } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";

/** Of the target as it was read: one that was changed since is a conflict. */
export const changeOf = ({
  watchKey,
  key,
  revision,
}: TargetState): Pick<TargetChange, "watchKey" | "targetKey" | "expectedRevision"> => ({
  watchKey,
  targetKey: key,
  expectedRevision: revision,
});

/** It can be read. */
export const WELL = { status: "ok", statusReason: "" } as const;

/**
 * Commits another memory, and nothing else; the target as it is then, undefined after a conflict.
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
