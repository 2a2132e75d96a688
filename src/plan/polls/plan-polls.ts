/**
 * Plans the polls of watches from the stored states of their targets. Subscribers with identical
 * sources share one poll. Pure.
 */
import { batchesOf } from "../../model/batch.ts";
import { groupBy } from "../../model/group-by.ts";
import { fingerprintOf, type Source } from "../../model/source.ts";
import { canonicalJson, type Hash } from "../../model/hash.ts";
import { mostUrgent } from "../../model/schedule.ts";
import { atOnce, forEachInSteps, type Steps } from "../../model/steps.ts";
import type { Absence, TargetRegistration, TargetState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { spreadMs } from "../../schedule/spread.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { Poll, Pollable, Subscriber } from "../poll.ts";
import { schedulesOf, spreadIn } from "../timing.ts";
import { schedulesWanted, timingOf } from "./effective-settings.ts";

/** An enabled watch with its targets as the state knows them. */
export interface PlannedWatch<T extends Pollable = Pollable> {
  readonly watch: Watch;
  readonly type: T;
  readonly watchKey: string;
  readonly paused: boolean;
  /** Set if the watch is not polled yet, because an account in its settings has no id. */
  readonly waitsForAccounts?: boolean;
  readonly targets: readonly TargetState[];
}

export interface PlanDeps {
  readonly hash: Hash;
  readonly timetable: Timetable;
  readonly nowMs: number;
}

/** Returns the targets of a watch as its file names them. */
export const targetsOf = (
  hash: Hash,
  watch: Watch,
  type: Pollable,
): readonly TargetRegistration[] =>
  type.targets(watch.settings, watch.id, (source) => fingerprintOf(hash, source));

/**
 * Returns the polls of every target that can be requested now. Paused watches and accounts without
 * an id are left out.
 */
export const planPolls = <T extends Pollable>(
  watches: readonly PlannedWatch<T>[],
  deps: PlanDeps,
): readonly Poll<T>[] => atOnce(planInSteps(watches, deps));

/** Does what `planPolls` does, in steps. */
export function* planInSteps<T extends Pollable>(
  watches: readonly PlannedWatch<T>[],
  deps: PlanDeps,
): Steps<readonly Poll<T>[]> {
  const shared = new Map<string, Shared<T>>();
  yield* forEachInSteps(watches, (planned) => {
    if (planned.paused || planned.waitsForAccounts === true) return;
    for (const target of planned.targets) addSubscriber(shared, planned, target, deps.hash);
  });
  const single = [...shared].filter(([, { source }]) => source.batch === undefined);
  const polls: Poll<T>[] = [];
  yield* forEachInSteps(single, ([key, { source, subscribers }]) =>
    polls.push(toPoll(key, source, subscribers, deps)),
  );
  return [...polls, ...planBatches([...shared.values()], deps)];
}

interface Shared<T extends Pollable> {
  readonly source: Source;
  readonly subscribers: Subscriber<T>[];
}

function addSubscriber<T extends Pollable>(
  shared: Map<string, Shared<T>>,
  planned: PlannedWatch<T>,
  target: TargetState,
  hash: Hash,
): void {
  const { watch, type, watchKey } = planned;
  if (
    isAccount(target) &&
    (target.userId === null || (type.needsHandle === true && target.username === null))
  )
    return;
  const source = type.source(watch.settings, target);
  const key = fingerprintOf(hash, source);
  const absence = target.memory["away"] as Absence | undefined;
  const returned = absence === undefined ? {} : { returnedAtMs: absence.to_ms };
  const base = {
    watch,
    type,
    watchKey,
    targetKey: target.key,
    targetName: target.name,
    ...returned,
  };
  const subscriber: Subscriber<T> = { ...base, ...ownPart(source) };
  const entry = shared.get(key);
  // A list that is created with its item takes a fraction of the memory of one that is pushed to,
  // and there may be ten thousand lists.
  if (entry === undefined) shared.set(key, { source, subscribers: [subscriber] });
  else entry.subscribers.push(subscriber);
}

/** Returns which part of a shared answer belongs to the target. */
function ownPart({ batch, author }: Source): Pick<Subscriber, "entry" | "author"> {
  if (batch !== undefined) return { entry: batch.value };
  return author === undefined ? {} : { author };
}

/**
 * Plans batches. Entries with the same schedules share requests, as many as fit. The first batch of
 * a kind keeps its key when entries are added or removed.
 */
function planBatches<T extends Pollable>(
  shared: readonly Shared<T>[],
  deps: PlanDeps,
): readonly Poll<T>[] {
  const kinds = groupBy(
    shared.filter(({ source }) => source.batch !== undefined),
    ({ source: { batch, endpoint, params }, subscribers }) =>
      `${endpoint}\n${canonicalJson(params)}\n${batch?.param}\n${canonicalJson(schedulesWanted(subscribers))}`,
  );
  return [...kinds].flatMap(([kind, entries]) =>
    batchesOf(entries, entries[0].source.batch?.size).map((batch, number) =>
      toBatch(`${kind}\n${number}`, batch, deps),
    ),
  );
}

function toBatch<T extends Pollable>(
  identity: string,
  entries: readonly Shared<T>[],
  deps: PlanDeps,
): Poll<T> {
  const [first] = entries;
  if (first?.source.batch === undefined) throw new Error("a batch without entries");
  const { endpoint, params, batch } = first.source;
  const values = entries.map(({ source }) => source.batch?.value ?? "");
  const source = { endpoint, params: { ...params, [batch.param]: values } };
  return toPoll(
    deps.hash(`batch\n${identity}`),
    source,
    entries.flatMap(({ subscribers }) => subscribers),
    deps,
  );
}

/**
 * Whether a target is an account. Accounts have keys like `@handle` or `id:digits`; other targets
 * are requested as they are.
 */
const isAccount = (target: TargetState): boolean =>
  target.key.startsWith("@") || target.key.startsWith("id:");

function toPoll<T extends Pollable>(
  key: string,
  source: Source,
  subscribers: readonly Subscriber<T>[],
  { timetable, nowMs }: PlanDeps,
): Poll<T> {
  const timing = timingOf(subscribers);
  const [first, ...others] = schedulesOf(timing);
  if (first === undefined) throw new Error("a poll without subscribers");
  const intervalMs = timetable.intervalMs(timetable.fastest([first, ...others], nowMs), nowMs);
  return {
    key,
    source,
    detector: subscribers[0]?.type.detection.detector ?? "feed",
    timing,
    intervalMs,
    spreadMs: spreadIn(timing, spreadMs(key, intervalMs)),
    priority: mostUrgent(subscribers.map(({ watch }) => watch.priority)),
    maxPages: Math.max(...subscribers.map(({ watch }) => watch.maxPages)),
    overlapMs: Math.max(...subscribers.map(({ watch }) => watch.overlapMs)),
    costRequests: Math.max(
      ...subscribers.map(({ watch, type }) => type.costRequests(watch.settings)),
    ),
    subscribers,
  };
}
