/**
 * Handles of accounts that the service is asked for by their handle alone: looked up by id while unknown and again now and then, for a
 * rename shows in no answer. Owns the asking and what a rename means; when it is time is the resolver's.
 */
import { batchesOf } from "../../model/batch.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import type { User } from "../../model/user.ts";
import type { Watch } from "../../model/watch.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { remember } from "../evaluate/target-change.ts";
import type { TargetAlerts } from "./target-alerts.ts";

export interface HandleDeps extends Pick<Ports, "clock" | "log"> {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "resolveTarget"> & Pick<PollStore, "commitPoll">;
  readonly profiles: Profiles;
  readonly targetAlerts: Pick<TargetAlerts, "renamed">;
  /** Called with targets that got a handle, or another one: their source changed. */
  readonly onResolved: (targets: readonly TargetState[]) => void;
}

/** A target with a user id, of a watch type that asks by handle. */
export interface AskedByHandle {
  readonly watch: Watch;
  readonly target: TargetState;
}

export const askedByHandle = (watches: readonly PlannedWatch[]): readonly AskedByHandle[] =>
  watches
    .filter(({ type, paused }) => type.needsHandle === true && !paused)
    .flatMap(({ watch, targets }) => targets.filter(({ userId }) => userId !== null).map((target) => ({ watch, target })));

/** A profile this old still says what an account is called. */
const JUST_NOW_MS = 600_000;

/** An account that is not in the answer keeps the handle it had. Throws what the gate throws. */
export async function refreshHandles(accounts: readonly AskedByHandle[], deps: HandleDeps): Promise<void> {
  const ids = [...new Set(accounts.map(({ target }) => target.userId ?? ""))];
  const users = new Map<string, User>();
  for (const id of ids) {
    const seen = deps.profiles.recent(id, JUST_NOW_MS);
    if (seen !== undefined) users.set(id, seen.user);
  }
  for (const batch of batchesOf(ids.filter((id) => !users.has(id)))) {
    const answer = await deps.gate.request({
      endpoint: "info-batch",
      params: { user_ids: batch },
      source: `handles:${batch[0] ?? ""}`,
      watch: accounts[0]?.watch.id ?? "",
      priority: "high",
      purpose: accounts.some(({ target }) => target.username === null) ? "baseline" : "poll",
      isSplit: true,
    });
    deps.profiles.learn(answer.users ?? []);
    for (const user of answer.users ?? []) users.set(user.id, user);
  }
  await takeHandles(accounts, ({ userId }) => users.get(userId ?? "")?.username ?? "", deps);
}

/** `handleOf`: the handle that a target's account has now; "" where that is not known. */
export async function takeHandles(
  accounts: readonly AskedByHandle[],
  handleOf: (target: TargetState) => string,
  deps: HandleDeps,
): Promise<void> {
  const changed: TargetState[] = [];
  for (const account of accounts) {
    const username = handleOf(account.target);
    if (username !== "" && username !== account.target.username) changed.push(await takeHandle(account, username, deps));
  }
  if (changed.length > 0) deps.onResolved(changed);
}

async function takeHandle({ watch, target }: AskedByHandle, username: string, deps: HandleDeps): Promise<TargetState> {
  const resolved = await deps.store.resolveTarget(
    { watchKey: target.watchKey, targetKey: target.key },
    { userId: target.userId ?? "", username },
  );
  if (target.username === null) return resolved;
  await deps.targetAlerts.renamed({
    userId: target.userId ?? "",
    from: target.username,
    to: username,
    isTaken: false,
    hint: "What named the new handle meanwhile is read now.",
  });
  return readSinceRename(resolved, watch, deps);
}

/** When it was renamed nobody knows: the new handle is read as far back as anything would raise an alert. */
async function readSinceRename(target: TargetState, { maxAgeMs }: Watch, { store, clock }: HandleDeps): Promise<TargetState> {
  if (target.baselineAtMs === null) return target;
  return (await remember(store, target, { resume_ms: clock.now() - maxAgeMs }, clock.now())) ?? target;
}
