/** Watches and what is known of their targets -> polls. Identical sources become one poll. Pure. */
import { fingerprintOf, type Source } from "../model/source.ts";
import type { Hash } from "../model/hash.ts";
import type { Priority, Schedule } from "../model/schedule.ts";
import type { TargetRegistration, TargetState } from "../model/store.ts";
import type { Watch } from "../model/watch.ts";
import { spreadMs } from "../schedule/spread.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { Poll, Pollable, Subscriber } from "./poll.ts";

/** An enabled watch with its targets as the state knows them. */
export interface PlannedWatch<T extends Pollable = Pollable> {
  readonly watch: Watch;
  readonly type: T;
  readonly watchKey: string;
  readonly paused: boolean;
  readonly targets: readonly TargetState[];
}

export interface PlanDeps {
  readonly hash: Hash;
  readonly timetable: Timetable;
  readonly nowMs: number;
}

const PRIORITY_ORDER: readonly Priority[] = ["high", "normal", "low"];

/** Targets of a watch as its file names them. */
export const targetsOf = (hash: Hash, watch: Watch, type: Pollable): readonly TargetRegistration[] =>
  type.targets(watch.settings, watch.id, (source) => fingerprintOf(hash, source));

/** Polls of every target that can be asked for now: paused watches and accounts without an id are left out. */
export function planPolls<T extends Pollable>(watches: readonly PlannedWatch<T>[], deps: PlanDeps): readonly Poll<T>[] {
  const shared = new Map<string, Shared<T>>();
  for (const planned of watches) {
    if (planned.paused) continue;
    for (const target of planned.targets) addSubscriber(shared, planned, target, deps.hash);
  }
  return [...shared].map(([key, { source, subscribers }]) => toPoll(key, source, subscribers, deps));
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
  if (isAccount(target) && target.userId === null) return;
  const source = type.source(watch.settings, target);
  const key = fingerprintOf(hash, source);
  const subscriber: Subscriber<T> = { watch, type, watchKey, targetKey: target.key, targetName: target.name };
  const entry = shared.get(key);
  // A list that starts with its one member takes a fraction of one that was pushed to: there may be ten thousand.
  if (entry === undefined) shared.set(key, { source, subscribers: [subscriber] });
  else entry.subscribers.push(subscriber);
}

/** Account targets are keyed `@handle` or `id:digits`; other targets are asked for as they are. */
const isAccount = (target: TargetState): boolean => target.key.startsWith("@") || target.key.startsWith("id:");

function toPoll<T extends Pollable>(
  key: string,
  source: Source,
  subscribers: readonly Subscriber<T>[],
  { timetable, nowMs }: PlanDeps,
): Poll<T> {
  const [first, ...others] = subscribers.map(({ watch }) => watch.schedule);
  if (first === undefined) throw new Error("a poll without subscribers");
  const schedule = timetable.fastest([first, ...others], nowMs);
  const intervalMs = timetable.intervalMs(schedule, nowMs);
  const ranks = subscribers.map(({ watch }) => PRIORITY_ORDER.indexOf(watch.priority));
  return {
    key,
    source,
    detector: subscribers[0]?.type.detection.detector ?? "feed",
    schedules: distinct(subscribers.map(({ watch }) => watch.schedule)),
    schedule,
    intervalMs,
    spreadMs: spreadMs(key, intervalMs),
    priority: PRIORITY_ORDER[Math.min(...ranks)] ?? "normal",
    maxPages: Math.max(...subscribers.map(({ watch }) => watch.maxPages)),
    overlapMs: Math.max(...subscribers.map(({ watch }) => watch.overlapMs)),
    costRequests: Math.max(...subscribers.map(({ watch, type }) => type.costRequests(watch.settings))),
    subscribers,
  };
}

const distinct = (schedules: readonly Schedule[]): readonly Schedule[] =>
  schedules.length === 1 ? schedules : [...new Map(schedules.map((schedule) => [JSON.stringify(schedule), schedule])).values()];
