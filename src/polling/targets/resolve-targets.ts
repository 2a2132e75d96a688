/** From handles to user ids, a hundred a request. Users are followed by id from then on: a rename is an event, not an outage. */
import { batchesOf } from "../../model/batch.ts";
import type { NamedAccountId, TargetState, WatchStore } from "../../model/watch-store.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";

export interface ResolverDeps {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "resolveTarget" | "nameAccounts">;
  readonly profiles: Profiles;
  /** Called after every batch that resolved something: polls can be planned. */
  readonly onResolved: (targets: readonly TargetState[]) => void;
  /** The same, of accounts that watches name beside their targets. */
  readonly onNamed: (accounts: readonly NamedAccountId[]) => void;
  /** Called for handles the service does not know. */
  readonly onMissing: (handles: readonly UnknownHandle[]) => Promise<void>;
}

export interface UnknownHandle {
  readonly watchId: string;
  readonly watchKey: string;
  /** In lower case, without @. */
  readonly handle: string;
  /** Whose handle it is; absent: the watch names it beside its targets. */
  readonly target?: TargetState;
}

/** Resolves what it can; throws what the gate throws, and keeps what was resolved before. */
export async function resolveTargets(unknown: readonly UnknownHandle[], deps: ResolverDeps): Promise<void> {
  const byHandle = new Map<string, UnknownHandle[]>();
  for (const one of unknown) {
    const own = byHandle.get(one.handle);
    if (own === undefined) byHandle.set(one.handle, [one]);
    else own.push(one);
  }
  const handles = [...byHandle.keys()];
  await Promise.all(batchesOf(handles).map((batch) => resolveBatch(batch, byHandle, deps)));
}

async function resolveBatch(
  handles: readonly string[],
  byHandle: ReadonlyMap<string, readonly UnknownHandle[]>,
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
  const named: NamedAccountId[] = [];
  const missing: UnknownHandle[] = [];
  for (const one of handles.flatMap((handle) => byHandle.get(handle) ?? [])) {
    const user = users.get(one.handle);
    const { target, watchKey, handle } = one;
    if (user === undefined) missing.push(one);
    else if (target === undefined) named.push({ watchKey, handle, userId: user.id });
    else resolved.push(await deps.store.resolveTarget({ watchKey, targetKey: target.key }, { userId: user.id, username: user.username }));
  }
  if (named.length > 0) await deps.store.nameAccounts(named);
  if (named.length > 0) deps.onNamed(named);
  if (resolved.length > 0) deps.onResolved(resolved);
  if (missing.length > 0) await deps.onMissing(missing);
}
