/** What a plan would cost if one watch read its accounts through a public list: one request a tick. Pure: the caller plans again. */
import type { Subscriber } from "../../plan/poll.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { delayOf, type Forecast, mostExpensive, type PollForecast } from "../forecast.ts";
import { firstThatFits, type Goal, type Measured, type Replanner } from "./replan.ts";

export interface PublicList extends Measured {
  readonly everyMs: number;
  readonly watchId: string;
  readonly handles: number;
  /** How late alerts are without the list. */
  readonly instead: Delay;
}

const LIST_HOLDS = 5_000;
/** A list is not worth the effort for fewer. */
const LEAST_HANDLES = 10;

/**
 * For the most expensive watch whose accounts no other watch reads, at the shortest interval that fits; undefined where alerts would not be
 * sooner than `instead`.
 */
export function listThatFits({ before, limit, timesMs }: Goal, instead: Delay | undefined, replanner: Replanner): PublicList | undefined {
  const watchId = mostExpensive(before).find((id) => isListable(interestOf(before, id)));
  if (watchId === undefined) return undefined;
  const { own, subscribers } = interestOf(before, watchId);
  const { replan, throughList, slowestMs } = replanner;
  const intervalMs = Math.max(...own.map(({ poll }) => poll.intervalMs));
  const found = firstThatFits([intervalMs, ...timesMs.filter((timeMs) => timeMs > intervalMs)], limit, (everyMs) =>
    replan((watch) => (watch.id === watchId && everyMs <= slowestMs(watch) ? throughList(watch, everyMs) : watch)),
  );
  if (found === undefined) return undefined;
  const { timeMs: everyMs, after } = found;
  const [delay, was] = [delayOf([everyMs]), before.watches.get(watchId)?.delay ?? delayOf([intervalMs])];
  const old = instead ?? was;
  if (delay.p50Ms >= old.p50Ms) return undefined;
  const lossMs = Math.max(0, delay.p50Ms - was.p50Ms) * subscribers.length;
  return { everyMs, watchId, handles: subscribers.length, requestsPerMonth: after.requestsPerMonth, delay, instead: old, lossMs };
}

interface Interest {
  readonly own: readonly PollForecast[];
  readonly subscribers: readonly Subscriber[];
}

function interestOf({ polls }: Forecast, watchId: string): Interest {
  const own = polls.filter(({ poll }) => poll.subscribers.some(({ watch }) => watch.id === watchId));
  return { own, subscribers: own.flatMap(({ poll }) => poll.subscribers.filter(({ watch }) => watch.id === watchId)) };
}

function isListable({ own, subscribers }: Interest): boolean {
  const isShared = own.some(({ poll }) => poll.group === undefined && poll.subscribers.length > 1);
  const isTimeline =
    subscribers.every(({ type }) => type.probeFields !== undefined) &&
    own.every(({ poll }) => (poll.group?.members ?? [poll]).every(({ source }) => source.endpoint === "user-tweets"));
  return isTimeline && !isShared && subscribers.length >= LEAST_HANDLES && subscribers.length <= LIST_HOLDS;
}
