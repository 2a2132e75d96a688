/** What the engine reads off the active watches and polls: pure but for the times it looks up of new groups. */
import type { PollStore } from "../model/poll-store.ts";
import type { NamedAccountId, TargetRef, TargetState, WatchState } from "../model/watch-store.ts";
import type { Watch } from "../model/watch.ts";
import { hasUnreadTarget } from "../forecast/first-reads.ts";
import { namedHandles, withAccountIds } from "../plan/polls/named-accounts.ts";
import type { PlannedWatch } from "../plan/polls/plan-polls.ts";
import type { Poll as PlannedPoll } from "../plan/poll.ts";
import type { WatchType } from "../watches/watch-type.ts";
import type { Poll } from "../polling/watch-poll.ts";

type Planned = PlannedWatch<WatchType<any>>;

/** A watch as the configuration and the state have it, by the ids of the accounts that it names beside its targets as far as these are known. */
export function plannedOf({
  watch,
  type,
  state,
}: {
  readonly watch: Watch;
  readonly type: WatchType<any>;
  readonly state: WatchState;
}): Planned {
  const { key: watchKey, paused, targets, accounts } = state;
  return followAccounts({ watch, type, watchKey, paused, targets }, accounts);
}

function followAccounts(planned: Planned, ids: Readonly<Record<string, string>>): Planned {
  const watch = withAccountIds(planned.watch, planned.type, ids);
  return { ...planned, watch, waitsForAccounts: namedHandles(watch, planned.type).required.length > 0 };
}

export function withAccounts(planned: readonly Planned[], accounts: readonly NamedAccountId[]): readonly Planned[] {
  const found = new Map<string, Record<string, string>>();
  for (const { watchKey, handle, userId } of accounts) found.set(watchKey, { ...found.get(watchKey), [handle]: userId });
  return planned.map((one) => {
    const ids = found.get(one.watchKey);
    return ids === undefined ? one : followAccounts(one, ids);
  });
}

/** With targets as they are now. A survivor of two targets with one id replaces both. */
export function withTargets(planned: readonly Planned[], targets: readonly TargetState[]): readonly Planned[] {
  const byWatch = new Map<string, TargetState[]>();
  for (const target of targets) {
    const own = byWatch.get(target.watchKey);
    if (own === undefined) byWatch.set(target.watchKey, [target]);
    else own.push(target);
  }
  return planned.map((watch) => {
    const own = byWatch.get(watch.watchKey);
    if (own === undefined) return watch;
    const userIds = new Set(own.map(({ userId }) => userId));
    const names = new Set(own.map(({ name }) => name));
    const kept = watch.targets.filter((target) => !names.has(target.name) && (target.userId === null || !userIds.has(target.userId)));
    return { ...watch, targets: [...kept, ...new Map(own.map((target) => [target.key, target])).values()] };
  });
}

/** With a watch paused or resumed, and its targets as the state has them then: whoever is resumed knows since when it was not read. */
export const withPaused = (
  planned: readonly Planned[],
  { watchId, paused, targets }: { readonly watchId: string; readonly paused: boolean; readonly targets: readonly TargetState[] },
): readonly Planned[] => withTargets(planned, targets).map((one) => (one.watch.id === watchId ? { ...one, paused } : one));

export const targetRefsOf = (planned: readonly Planned[], watchId: string): readonly TargetRef[] =>
  planned.flatMap(({ watch, watchKey, targets }) => (watch.id === watchId ? targets.map(({ key }) => ({ watchKey, targetKey: key })) : []));

/** Of its targets; undefined before the first. */
export function firstBaselineOf({ targets }: Pick<Planned, "targets">): number | undefined {
  const times = targets.flatMap(({ baselineAtMs }) => (baselineAtMs === null ? [] : [baselineAtMs]));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** A group that was never polled as such is due by those of its members that were polled longest ago; at once when one never was. */
export async function dateGroup(
  { key, group }: Pick<PlannedPoll, "key" | "group">,
  { lastPolledAtMs, lastOkAtMs }: Readonly<Record<"lastPolledAtMs" | "lastOkAtMs", Map<string, number>>>,
  store: Pick<PollStore, "loadSources">,
): Promise<void> {
  if (group === undefined || lastPolledAtMs.has(key)) return;
  const members = await store.loadSources(group.members.map((member) => member.key));
  const times = members.map((member) => member.lastPollAtMs);
  if (times.length > 0 && times.every((time) => time !== null)) lastPolledAtMs.set(key, Math.min(...times));
  const okTimes = members.map((member) => member.lastOkAtMs).filter((time) => time !== null);
  if (okTimes.length > 0) lastOkAtMs.set(key, Math.max(...okTimes));
}

/** Whether a batch has an entry that was never answered: its key was polled before, but not for that one. */
export function hasNewEntry(planned: readonly PlannedWatch<WatchType<any>>[]): (poll: Poll) => boolean {
  const isUnread = hasUnreadTarget(planned);
  return (poll) => (poll.group !== undefined || poll.subscribers.some(({ entry }) => entry !== undefined)) && isUnread(poll);
}

export function indexByWatch(polls: readonly Poll[]): ReadonlyMap<string, readonly Poll[]> {
  const index = new Map<string, Poll[]>();
  for (const poll of polls) {
    for (const { watch } of poll.subscribers) {
      const own = index.get(watch.id);
      if (own === undefined) index.set(watch.id, [poll]);
      else if (own.at(-1) !== poll) own.push(poll);
    }
  }
  return index;
}
