/**
 * What would make a plan fit its quota: each change that does, with what it costs and how late alerts then are. Pure arithmetic over a
 * forecast; how a change is said is the caller's.
 */
import type { Watch } from "../../model/watch.ts";
import { groupKindOf } from "../../groups/registry.ts";
import { checkPages } from "../../plan/polls/feed-pages.ts";
import type { Subscriber } from "../../plan/poll.ts";
import { mostExpensive, delayOf, type Forecast, forecastOf, MONTH_DAYS, type PollForecast } from "../forecast.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { type RarerFullPolls, rarerFullPollsThatFit } from "./full-poll-change.ts";
import { calmPlan } from "./idle-schedules.ts";
import { loosenFreshness, type LooserFreshness } from "./looser-freshness.ts";
import { type RarerRechecks, rarerRechecksThatFit } from "./recheck-change.ts";
import { type LowPriority, lowPriorityThatFits } from "./low-priority.ts";
import { fewOrAll, measure, type Measured, type Replanner, type RetimedWatch, watchesOf } from "./replan.ts";
import { everythingLater, type LaterWatch, slowerSchedules } from "./slower-schedules.ts";

/**
 * - `slower`: these watches are polled less often; not those that ask for freshness.
 * - `freshness`: these may find posts later.
 * - `all`: both, with rarer rechecks of fresh tweets and full polls as rare as `max_age` allows, where nothing else fits.
 * - `recheck`: fresh tweets are rechecked less often.
 * - `full_poll`: accounts, lists and searches that are read together are each read whole less often.
 * - `list`: a public list of the accounts of one watch, read every `everyMs`.
 * - `priority`: these watches made low, so that the daemon itself slows down what is, `factor` times; the plan does not.
 */
export type Change =
  | (Measured & { readonly kind: "slower"; readonly watches: readonly RetimedWatch[] })
  | (Measured & { readonly kind: "all"; readonly watches: readonly LaterWatch[] })
  | LooserFreshness
  | (RarerFullPolls & { readonly kind: "full_poll" })
  | (RarerRechecks & { readonly kind: "recheck" })
  | (Measured & {
      readonly kind: "list";
      readonly everyMs: number;
      readonly watchId: string;
      readonly handles: number;
      readonly instead: Delay;
    })
  | (LowPriority & Pick<Measured, "lossMs"> & { readonly kind: "priority" });

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Intervals that people write. */
const INTERVAL_STEPS_MS: readonly number[] = [
  ...[2, 5, 10, 15, 20, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12, 24, 48, 168].map((hours) => hours * HOUR_MS),
];
const LIST_HOLDS = 5_000;
/** Nobody makes a list of fewer. */
const LEAST_HANDLES = 10;

/** Every change that brings the plan to `limit` requests a month or less, the cheapest first; those that leave the plan as it is come last. */
export function findChanges(forecast: Forecast, limit: number, deps: Replanner): readonly Change[] {
  const slower = slowerOption(forecast, limit, deps);
  const looser = loosenFreshness(forecast, limit, INTERVAL_STEPS_MS, deps);
  const rarer = rarerFullPollsThatFit(forecast, limit, INTERVAL_STEPS_MS, deps.replan);
  const fullPoll: Change | undefined = rarer === undefined ? undefined : { kind: "full_poll", ...rarer };
  const rarerRechecks = rarerRechecksThatFit(forecast, limit, INTERVAL_STEPS_MS, deps.replan);
  const recheck: Change | undefined = rarerRechecks === undefined ? undefined : { kind: "recheck", ...rarerRechecks };
  const isEasy = [slower, looser, fullPoll, recheck].some((one) => one !== undefined);
  const all = isEasy ? undefined : everythingLater(forecast, limit, INTERVAL_STEPS_MS, deps);
  const later: Change | undefined = all === undefined ? undefined : { kind: "all", ...all };
  const [list] = byLoss(listOptions(forecast, limit, (slower ?? looser ?? later)?.delay));
  const held = list === undefined ? undefined : planList(list, limit, deps);
  const fits = byLoss<Change>([held, slower, looser, fullPoll, recheck, later].filter((one) => one !== undefined));
  const low = lowPriorityThatFits(forecast, limit, deps.replan);
  return low === undefined ? fits : [...fits, { kind: "priority", ...low, lossMs: Number.POSITIVE_INFINITY }];
}

const byLoss = <T extends { readonly lossMs: number }>(changes: readonly T[]): readonly T[] =>
  [...changes].sort((a, b) => a.lossMs - b.lossMs);

type Slower = Extract<Change, { kind: "slower" }>;

/** Those that outrun their data, and where that is not enough the watches whose slowing down loses least, as slow as they then must be. */
function slowerOption(before: Forecast, limit: number, replanner: Replanner): Slower | undefined {
  const { forecast, deps, watches: idle } = calmPlan(before, replanner);
  if (forecast.requestsPerMonth <= limit) {
    const ids = new Set(idle.map(({ watchId }) => watchId));
    const touched = watchesOf(before).filter(({ id }) => ids.has(id));
    return { kind: "slower", watches: idle, ...measure(before, forecast, touched), lossMs: 0 };
  }
  const options = fewOrAll(forecast.watches.size).map((count) => slowDown(forecast, limit, count));
  for (const { ids, everyMs } of byLoss(options.filter((one) => one !== undefined))) {
    const slower = slowerSchedules(forecast, limit, { ids, startMs: everyMs, timesMs: INTERVAL_STEPS_MS }, deps);
    if (slower === undefined) continue;
    const again = new Set(slower.watches.map(({ watchId }) => watchId));
    return { kind: "slower", ...slower, watches: [...slower.watches, ...idle.filter(({ watchId }) => !again.has(watchId))] };
  }
  return undefined;
}

interface Slowed {
  readonly ids: ReadonlySet<string>;
  readonly everyMs: number;
  readonly lossMs: number;
}

/** The shortest usual interval for the `count` most expensive watches at which the plan fits; undefined when one poll a week is too much. */
function slowDown(forecast: Forecast, limit: number, count: number): Slowed | undefined {
  const chosen = new Set(mostExpensive(forecast).slice(0, count));
  for (const everyMs of INTERVAL_STEPS_MS) {
    const polls = forecast.polls.map((one) => (isServing(one, chosen) ? slowPoll(one, everyMs) : one));
    if (forecastOf(polls, forecast.rechecks).requestsPerMonth > limit) continue;
    const changed = polls.filter((one, index) => one !== forecast.polls[index]);
    const ids = new Set(changed.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => watch.id)));
    return { ids, everyMs, lossMs: lossOf(forecast.polls, polls) };
  }
  return undefined;
}

/** Of the same polls in the same order. */
const lossOf = (before: readonly PollForecast[], after: readonly PollForecast[]): number =>
  after.reduce((sum, one, i) => {
    const old = before[i];
    return old === undefined ? sum : sum + (one.delay.p50Ms - old.delay.p50Ms) * one.poll.subscribers.length;
  }, 0);

const isServing = ({ poll }: PollForecast, chosen: ReadonlySet<string>): boolean =>
  poll.subscribers.every(({ watch }) => chosen.has(watch.id) && watch.timing.kind === "schedule");

function slowPoll(one: PollForecast, everyMs: number): PollForecast {
  const pollsPerDay = Math.min(one.pollsPerDay, DAY_MS / everyMs);
  if (pollsPerDay === one.pollsPerDay) return one;
  return {
    ...one,
    ...groupKindOf(one.poll).costOf(one.poll, { pollsPerDay, fullReadPages: one.fullReadPages, itemsPerDay: one.itemsPerDay }),
    delay: delayOf([everyMs]),
  };
}

interface Interest {
  readonly own: PollForecast[];
  readonly subscribers: Subscriber[];
}

/** By watch id, its polls and its part in them: looked for watch by watch, ten thousand that share a poll would take a minute. */
function interestsOf({ polls }: Forecast): ReadonlyMap<string, Interest> {
  const interests = new Map<string, Interest>();
  for (const one of polls) {
    for (const subscriber of one.poll.subscribers) {
      const known = interests.get(subscriber.watch.id);
      if (known === undefined) interests.set(subscriber.watch.id, { own: [one], subscribers: [subscriber] });
      else {
        if (known.own.at(-1) !== one) known.own.push(one);
        known.subscribers.push(subscriber);
      }
    }
  }
  return interests;
}

type List = Extract<Change, { kind: "list" }>;

/** Planned again: accounts that other watches name too cost there what they did. */
function planList(list: List, limit: number, { replan, throughList, slowestMs }: Replanner): List | undefined {
  const isHeld = (watch: Watch): boolean => watch.id === list.watchId && list.everyMs <= slowestMs(watch);
  const { requestsPerMonth } = replan((watch) => (isHeld(watch) ? throughList(watch, list.everyMs) : watch));
  return requestsPerMonth <= limit ? { ...list, requestsPerMonth } : undefined;
}

/** A public list instead of many timelines: one request a tick, as fast as the quota then allows. */
function listOptions(forecast: Forecast, limit: number, instead: Delay | undefined): readonly List[] {
  const interests = interestsOf(forecast);
  return [...forecast.watches.values()].flatMap(({ watchId, requestsPerMonth, delay, strategies }) => {
    const { own, subscribers } = interests.get(watchId) ?? { own: [], subscribers: [] };
    const isShared = strategies.includes("single") && own.some(({ poll }) => poll.subscribers.length > 1 && poll.group === undefined);
    const isTimeline =
      subscribers.every(({ type }) => type.probeFields !== undefined) &&
      own.every(({ poll }) => (poll.group?.members ?? [poll]).every(({ source }) => source.endpoint === "user-tweets"));
    if (!isTimeline || isShared || subscribers.length < LEAST_HANDLES || subscribers.length > LIST_HOLDS) return [];
    const rest = forecast.requestsPerMonth - requestsPerMonth;
    const checks = checkPages(subscribers.length) * MONTH_DAYS;
    const intervalMs = Math.max(...own.map(({ poll }) => poll.intervalMs));
    const overlapMs = Math.max(...own.map(({ poll }) => poll.overlapMs));
    for (const everyMs of [intervalMs, ...INTERVAL_STEPS_MS.filter((rung) => rung > intervalMs)]) {
      const rescans = overlapMs > everyMs ? DAY_MS / (Math.ceil(overlapMs / everyMs) * everyMs) : 0;
      const total = rest + checks + (DAY_MS / everyMs + rescans) * MONTH_DAYS;
      if (total > limit) continue;
      const after = delayOf([everyMs]);
      const lossMs = Math.max(0, after.p50Ms - delay.p50Ms) * subscribers.length;
      const old = instead ?? delay;
      if (after.p50Ms >= old.p50Ms) return [];
      return [{ kind: "list", everyMs, watchId, handles: subscribers.length, requestsPerMonth: total, delay: after, instead: old, lossMs }];
    }
    return [];
  });
}
