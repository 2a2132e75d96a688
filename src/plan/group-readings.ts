/** Profiles that are read on the schedule of a group of accounts come along with its probes: one request tells both. Pure. */
import { canonicalJson } from "../model/hash.ts";
import { spreadMs } from "../schedule/spread.ts";
import type { Poll, Pollable } from "./poll.ts";
import { BATCH_SIZE } from "../model/batch.ts";
import type { StrategyCost } from "./strategy.ts";

const DAY_MS = 86_400_000;

/** The polls without those that joined a group of `groups`, and the groups with them. */
export function joinReadings<T extends Pollable>(polls: readonly Poll<T>[], groups: readonly Poll<T>[]): readonly Poll<T>[] {
  const bySchedule = new Map<string, Poll<T>>();
  for (const group of groups)
    if (group.group?.kind === "accounts" && group.group.freshness === undefined) bySchedule.set(rhythmOf(group), group);
  const joining = new Map<Poll<T>, Poll<T>[]>();
  const rest: Poll<T>[] = [];
  for (const poll of polls) {
    const isReading = poll.source.endpoint === "info-batch" && poll.detector === "reading" && poll.group === undefined;
    const group = isReading ? bySchedule.get(rhythmOf(poll)) : undefined;
    if (group === undefined || sharedWith(group, [poll]) === 0) rest.push(poll);
    else joining.set(group, [...(joining.get(group) ?? []), poll]);
  }
  return [...rest, ...groups.map((group) => withReadings(group, joining.get(group) ?? []))];
}

const rhythmOf = ({ priority, schedules }: Poll): string =>
  canonicalJson([priority, schedules.map((schedule) => canonicalJson({ ...schedule })).sort()]);

/** How many of a group's accounts are in the answers of readings. */
function sharedWith({ group }: Poll, readings: readonly Poll[]): number {
  const read = new Set(readings.flatMap(({ subscribers }) => subscribers.map(({ entry }) => entry)));
  return (group?.members ?? []).filter(({ source }) => read.has(source.params["user_id"] as string)).length;
}

function withReadings<T extends Pollable>(poll: Poll<T>, readings: readonly Poll<T>[]): Poll<T> {
  if (poll.group === undefined || readings.length === 0) return poll;
  const cost = costWith(poll.group.cost, readings.length, poll.group.members.length - sharedWith(poll, readings), poll.intervalMs);
  return {
    ...poll,
    spreadMs: spreadMs(poll.key, poll.intervalMs),
    subscribers: [...poll.subscribers, ...readings.flatMap(({ subscribers }) => subscribers)],
    costRequests: ((cost.probesPerDay + cost.readsPerDay) * poll.intervalMs) / DAY_MS,
    group: { ...poll.group, cost, readings },
  };
}

/** A reading is a request a tick; probes ask for the other accounts only. */
function costWith(cost: StrategyCost, readings: number, others: number, intervalMs: number): StrategyCost {
  const ticks = DAY_MS / intervalMs;
  const probesPerDay = cost.strategy === "probe" ? Math.ceil(others / BATCH_SIZE) * ticks + readings * ticks : cost.probesPerDay;
  const readsPerDay = cost.strategy === "probe" ? cost.readsPerDay : cost.readsPerDay + readings * ticks;
  return { ...cost, probesPerDay, readsPerDay, requestsPerDay: probesPerDay + readsPerDay + cost.sweepsPerDay };
}
