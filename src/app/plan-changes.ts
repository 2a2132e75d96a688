/** Changes that make a plan fit its quota, as people and programs read them. */
import { formatDuration } from "../model/duration.ts";
import type { Freshness } from "../model/schedule.ts";
import type { Change } from "../plan/cheaper.ts";
import type { Delay } from "../plan/forecast.ts";
import type { LooserWatch } from "../plan/looser-freshness.ts";
import type { LaterWatch } from "../plan/slower-schedules.ts";
import { freshnessText, scheduleText } from "./status-view.ts";

/** One change that makes the plan fit. */
export interface ChangeView {
  /** See Change in plan/cheaper.ts; `priority` leaves the plan as it is and lets the daemon slow down. */
  readonly kind: Change["kind"];
  /** What to write, for people. */
  readonly change: string;
  readonly requests_per_month: number;
  /** Of the slowest watch it touches. */
  readonly delay_seconds: { readonly p50: number; readonly p95: number };
  readonly watches: readonly { readonly id: string; readonly schedule: string; readonly requests_per_month: number }[];
}

export function changeView(change: Change): ChangeView {
  const { kind, requestsPerMonth, delay } = change;
  const base = { kind, requests_per_month: round(requestsPerMonth), delay_seconds: delayView(delay), watches: [] };
  switch (change.kind) {
    case "slower": {
      const watches = change.watches.map((one) => watchView(one, scheduleText(one.schedule)));
      return { ...base, change: namesOf(watches.map(({ id, schedule }) => `${id} "${schedule}"`)), watches };
    }
    case "all": {
      const watches = change.watches.map((one) => watchView(one, laterKeys(one)));
      return { ...base, change: namesOf(watches.map(({ id, schedule }) => `\`${schedule}\` on ${id}`)), watches };
    }
    case "freshness": {
      const watches = change.watches.map((one) => watchView(one, freshnessText(one.freshness)));
      return { ...base, change: namesOf(change.watches.map(freshnessOn)), watches };
    }
    case "full_poll":
      return { ...base, change: `\`full_poll_every: ${formatDuration(change.everyMs)}\` on ${namesOf(change.watchIds)}` };
    case "list": {
      const pace = `${secondsText(delay.p50Ms)} instead of ${secondsText(change.instead.p50Ms)}`;
      const every = formatDuration(change.everyMs);
      return {
        ...base,
        change: `a public list of the ${change.handles} handles of ${change.watchId} (\`via_list\`), read every ${every}: ${pace}`,
      };
    }
    case "priority": {
      const factor = change.factor.toFixed(1);
      return {
        ...base,
        change: `\`priority: low\` on ${namesOf(change.watchIds)}: the daemon then polls them ${factor} times slower by itself`,
      };
    }
  }
}

const watchView = ({ watchId, requestsPerMonth }: { readonly watchId: string; readonly requestsPerMonth: number }, schedule: string) => ({
  id: watchId,
  schedule,
  requests_per_month: round(requestsPerMonth),
});

const freshnessOn = ({ watchId, freshness }: LooserWatch): string => `\`${freshnessKey(freshness)}\` on ${watchId}`;

/** As it is written in the configuration. */
const freshnessKey = (freshness: Freshness): string =>
  freshness.kind === "p95"
    ? `freshness: ${formatDuration(freshness.p95Ms)}`
    : `freshness: { mean: ${formatDuration(freshness.meanMs)}, max: ${formatDuration(freshness.maxMs)} }`;

/** Everything that changes of a watch, as keys of YAML. */
function laterKeys({ schedule, freshness, fullPollEveryMs }: LaterWatch): string {
  const keys = [
    ...(schedule === undefined ? [] : [`schedule: "${scheduleText(schedule)}"`]),
    ...(freshness === undefined ? [] : [freshnessKey(freshness)]),
    ...(fullPollEveryMs === undefined ? [] : [`full_poll_every: ${formatDuration(fullPollEveryMs)}`]),
  ];
  return keys.join(", ");
}

const MOST_NAMED = 5;
const namesOf = (names: readonly string[]): string =>
  names.length <= MOST_NAMED ? names.join(", ") : `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`;

/** Of the usual delay, as people say it. */
const secondsText = (ms: number): string => formatDuration(Math.max(1_000, Math.round(ms / 1_000) * 1_000));

export const delayView = ({ p50Ms, p95Ms }: Delay) => ({ p50: round(p50Ms / 1_000), p95: round(p95Ms / 1_000) });

/** Two digits are plenty of a forecast. */
export const round = (value: number): number => Math.round(value * 100) / 100;
