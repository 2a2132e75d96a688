/** From handles to user ids, a hundred a request. Users are followed by id from then on: a rename is an event, not an outage. */
import { batchesOf } from "../model/batch.ts";
import type { Log } from "../model/log.ts";
import type { TargetState, WatchStore } from "../model/watch-store.ts";
import type { Profiles } from "./profiles.ts";
import type { RequestGate } from "./request-gate.ts";

export interface ResolverDeps {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "resolveTarget">;
  readonly profiles: Profiles;
  readonly log: Log;
  /** Called after every batch that resolved something: polls can be planned. */
  readonly onResolved: (targets: readonly TargetState[]) => void;
  /** Called for handles the service does not know. */
  readonly onMissing: (targets: readonly TargetState[]) => Promise<void>;
}

export interface UnresolvedTarget {
  readonly watchId: string;
  readonly target: TargetState;
  /** Without @. */
  readonly handle: string;
}

/** Resolves what it can; throws what the gate throws, and keeps what was resolved before. */
export async function resolveTargets(unresolved: readonly UnresolvedTarget[], deps: ResolverDeps): Promise<void> {
  const byHandle = new Map<string, UnresolvedTarget[]>();
  for (const one of unresolved) {
    const handle = one.handle.toLowerCase();
    byHandle.set(handle, [...(byHandle.get(handle) ?? []), one]);
  }
  const handles = [...byHandle.keys()];
  await Promise.all(batchesOf(handles).map((batch) => resolveBatch(batch, byHandle, deps)));
}

async function resolveBatch(
  handles: readonly string[],
  byHandle: ReadonlyMap<string, readonly UnresolvedTarget[]>,
  deps: ResolverDeps,
): Promise<void> {
  const watch = byHandle.get(handles[0] ?? "")?.[0]?.watchId ?? "";
  const source = `resolve:${handles[0] ?? ""}`;
  const answer = await deps.gate.request({
    endpoint: "info-batch",
    params: { usernames: handles },
    source,
    watch,
    priority: "high",
    purpose: "baseline",
    isSplit: true,
  });
  const users = new Map((answer.users ?? []).map((user) => [user.username.toLowerCase(), user]));
  deps.profiles.learn([...users.values()]);
  const resolved: TargetState[] = [];
  const missing: TargetState[] = [];
  for (const handle of handles) {
    const user = users.get(handle);
    for (const { target } of byHandle.get(handle) ?? []) {
      if (user === undefined) missing.push(target);
      else resolved.push(await deps.store.resolveTarget(target.watchKey, target.key, user.id, user.username));
    }
  }
  if (resolved.length > 0) deps.onResolved(resolved);
  if (missing.length > 0) await deps.onMissing(missing);
}
