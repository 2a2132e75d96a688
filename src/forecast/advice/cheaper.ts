/**
 * Finds changes that make a plan fit its quota. Each has its cost and the delay of alerts with it.
 * Pure; the caller turns changes into text.
 */
import type { Freshness } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { delayOf, mostExpensive } from "../forecast.ts";
import { type Fit, fit, type Goal, type Option, watchesOf } from "./fit.ts";

/**
 * A kind of change.
 * - `slower`: these watches are polled less often.
 * - `freshness`: these watches may find posts later.
 * - `full_poll`: members of groups get full polls less often.
 * - `list`: the accounts of one watch are read through a public list.
 */
export interface Change extends Fit {
  readonly kind: "slower" | "freshness" | "full_poll" | "list";
  readonly list?: PublicList;
}

export interface PublicList {
  readonly handles: number;
  /**
   * The delay of alerts with the best other change; if there is none, the delay in the current
   * plan.
   */
  readonly instead: Delay;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The intervals that are tried. They are round numbers, because people choose such intervals. */
const INTERVAL_STEPS_MS: readonly number[] = [
  ...[2, 5, 10, 15, 20, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12, 24, 48, 168].map((hours) => hours * HOUR_MS),
];

/**
 * Returns all changes that bring the plan to its limit or below. The change that delays alerts
 * least, summed over all targets (`lossMs`), comes first.
 */
export function findChanges(goal: Goal): readonly Change[] {
  const slower = retimed(goal, slowed);
  const looser = retimed(goal, loosened);
  const fullPoll = fit(goal, rarerFullPolls(goal));
  const list = throughList(goal, (slower ?? looser)?.delay);
  const changes: readonly (Change | undefined)[] = [
    list && { kind: "list", ...list },
    slower && { kind: "slower", ...slower },
    looser && { kind: "freshness", ...looser },
    fullPoll && { kind: "full_poll", ...fullPoll },
  ];
  return changes.filter((one) => one !== undefined).sort((a, b) => a.lossMs - b.lossMs);
}

/**
 * Slows a watch down to `wantedMs`, or as far as its other settings allow. Each implementation
 * changes one kind of timing, the schedule or the freshness. It returns the same object if the
 * watch has the other kind or is already that slow.
 */
type Retime = (watch: Watch, wantedMs: number, goal: Goal) => Watch;

/**
 * The numbers of watches with which a change is tried, the most expensive watches first. The change
 * is also tried with all watches.
 */
const FEW_WATCHES = [1, 2, 3, 5] as const;

/**
 * Slows down some of the most expensive watches, no more than needed to fit the limit. Tries this
 * with several numbers of watches and returns the change that delays alerts least (`lossMs`).
 */
function retimed(goal: Goal, retime: Retime): Fit | undefined {
  const byId = new Map(watchesOf(goal.before).map((watch) => [watch.id, watch]));
  const canChange = (watch: Watch) => retime(watch, Number.POSITIVE_INFINITY, goal) !== watch;
  const order = mostExpensive(goal.before).flatMap((id) =>
    [byId.get(id) ?? []].flat().filter(canChange),
  );
  const change = (watch: Watch, timeMs: number) => retime(watch, timeMs, goal);
  const fits = [...FEW_WATCHES.filter((few) => few < order.length), order.length].flatMap(
    (count) =>
      fit(goal, {
        watches: order.slice(0, count),
        timesMs: count === 0 ? [] : INTERVAL_STEPS_MS,
        change,
      }) ?? [],
  );
  const [first, ...others] = fits;
  return first === undefined
    ? undefined
    : others.reduce((best, one) => (one.lossMs < best.lossMs ? one : best), first);
}

/**
 * Lengthens the interval of a watch. A `max_age` that is not longer than the new interval becomes
 * twice the interval, as the default would be.
 */
const slowed: Retime = (watch, wantedMs, { intervalMs, slowestMs }) => {
  const everyMs = Math.min(wantedMs, slowestMs(watch));
  if (watch.timing.kind === "freshness" || intervalMs(watch.timing) >= everyMs) return watch;
  const maxAgeMs = everyMs >= watch.maxAgeMs ? 2 * everyMs : watch.maxAgeMs;
  return {
    ...watch,
    timing: { kind: "schedule", schedule: { kind: "every", intervalMs: everyMs } },
    maxAgeMs,
  };
};

/**
 * A loosened `freshness` gets a `max` of at least this many times its `mean`. That leaves room to
 * read quiet accounts less often.
 */
const MIN_ROOM = 4;

const loosened: Retime = (watch, wantedMs, { slowestMs }) => {
  if (watch.timing.kind === "schedule") return watch;
  const { freshness } = watch.timing;
  const atLeastMs = Math.min(wantedMs, Math.floor(slowestMs(watch) / 2));
  if ((freshness.kind === "mean" ? freshness.meanMs : freshness.p95Ms) >= atLeastMs) return watch;
  const looser: Freshness =
    freshness.kind === "p95"
      ? { kind: "p95", p95Ms: atLeastMs }
      : {
          kind: "mean",
          meanMs: atLeastMs,
          maxMs: Math.max(freshness.maxMs, MIN_ROOM * atLeastMs),
        };
  return { ...watch, timing: { kind: "freshness", freshness: looser } };
};

/**
 * Returns a change that lengthens `full_poll_every`, at most to half of `max_age`, so that what a
 * full poll finds is still reported.
 */
function rarerFullPolls({ before }: Goal): Option {
  const watches = watchesOf({
    polls: before.polls.filter(({ poll }) => poll.group?.fullPollEveryMs !== undefined),
  });
  const longestMs = Math.min(...watches.map(({ maxAgeMs }) => maxAgeMs / 2));
  const change = (watch: Watch, everyMs: number): Watch =>
    watch.fullPollEveryMs !== undefined && watch.fullPollEveryMs < everyMs
      ? { ...watch, fullPollEveryMs: everyMs }
      : watch;
  const timesMs = INTERVAL_STEPS_MS.filter(
    (everyMs) => everyMs < longestMs && watches.some((watch) => change(watch, everyMs) !== watch),
  );
  return { watches, timesMs, change };
}

/** The maximum number of accounts on a public list. */
const MAX_HANDLES = 5_000;
/**
 * The minimum number of accounts for which a list is suggested. For fewer, it is not worth the
 * effort.
 */
const MIN_HANDLES = 10;

/**
 * Returns the change that reads the most expensive suitable watch through a list, at the shortest
 * interval that fits. `instead` is the delay with another change that fits; without one, the
 * current delay is compared. Returns undefined if no interval fits, or if alerts through the list
 * would not be earlier than with that delay.
 */
function throughList(
  goal: Goal,
  instead: Delay | undefined,
): (Fit & { readonly list: PublicList }) | undefined {
  const { before, slowestMs } = goal;
  const watch = mostExpensive(before).flatMap((id) => listable(before, id) ?? [])[0];
  if (watch === undefined) return undefined;
  const own = pollsOf(before, watch.id);
  const intervalMs = Math.max(...own.map(({ poll }) => poll.intervalMs));
  const found = fit(goal, {
    watches: [watch],
    timesMs: [intervalMs, ...INTERVAL_STEPS_MS.filter((timeMs) => timeMs > intervalMs)],
    change: (one, everyMs) => (everyMs <= slowestMs(one) ? goal.throughList(one, everyMs) : one),
  });
  if (found === undefined) return undefined;
  const was = before.watches.get(watch.id)?.delay ?? delayOf([intervalMs]);
  const list = { handles: subscribersOf(own, watch.id).length, instead: instead ?? was };
  return found.delay.p50Ms >= list.instead.p50Ms
    ? undefined
    : { ...found, lossMs: Math.max(0, found.lossMs), list };
}

const pollsOf = ({ polls }: Goal["before"], watchId: string) =>
  polls.filter(({ poll }) => poll.subscribers.some(({ watch }) => watch.id === watchId));

const subscribersOf = (own: Goal["before"]["polls"], watchId: string) =>
  own.flatMap(({ poll }) => poll.subscribers.filter(({ watch }) => watch.id === watchId));

/**
 * Returns the watch if its accounts could be on a list: each is a timeline that no other watch
 * reads, and their number is suitable.
 */
function listable(before: Goal["before"], watchId: string): Watch | undefined {
  const own = pollsOf(before, watchId);
  const subscribers = subscribersOf(own, watchId);
  const isShared = own.some(({ poll }) => poll.group === undefined && poll.subscribers.length > 1);
  const isTimeline =
    subscribers.every(({ type }) => type.probeFields !== undefined) &&
    own.every(({ poll }) =>
      (poll.group?.members ?? [poll]).every(({ source }) => source.endpoint === "user-tweets"),
    );
  const isSize = subscribers.length >= MIN_HANDLES && subscribers.length <= MAX_HANDLES;
  return isTimeline && !isShared && isSize ? subscribers[0]?.watch : undefined;
}
