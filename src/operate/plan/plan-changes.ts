/** Describes changes that make a plan fit its quota, for people and programs. */
import { formatDuration } from "../../model/duration.ts";
import type { Timing } from "../../model/schedule.ts";
import type { Change } from "../../forecast/advice/cheaper.ts";
import type { Delay } from "../../plan/delay-aims.ts";
import { timingText } from "../views/status-view.ts";

/** A change that makes the plan fit. */
export interface ChangeView {
  /**
   * The kind of change: `slower` and `freshness` change the timing of watches, `full_poll` changes
   * their `full_poll_every`, and `list` reads accounts through a public list.
   */
  readonly kind: Change["kind"];
  /** The settings to write into the configuration, as text for people. */
  readonly change: string;
  readonly requests_per_month: number;
  /** The delay of the slowest watch that the change affects. */
  readonly delay_seconds: { readonly p50: number; readonly p95: number };
  /** The ids of all watches that the change affects. */
  readonly watch_ids: readonly string[];
  readonly watches: readonly {
    readonly id: string;
    readonly schedule: string;
    readonly requests_per_month: number;
  }[];
}

export function changeView(change: Change): ChangeView {
  const { kind, requestsPerMonth, delay, watches } = change;
  const isRetimed = kind === "slower" || kind === "freshness";
  return {
    kind,
    change: changeText(change),
    requests_per_month: round(requestsPerMonth),
    delay_seconds: delayView(delay),
    watch_ids: watches.map(({ watchId }) => watchId),
    watches: isRetimed
      ? watches.map((one) => ({
          id: one.watchId,
          schedule: timingText(one.timing),
          requests_per_month: round(one.requestsPerMonth),
        }))
      : [],
  };
}

function changeText({ kind, everyMs, watches, delay, list }: Change): string {
  const names = namesOf(watches.map(({ watchId }) => watchId));
  const every = formatDuration(everyMs);
  if (kind === "full_poll") return `\`full_poll_every: ${every}\` on ${names}`;
  if (list === undefined)
    return together(
      watches.map(({ watchId, timing }) => ({ id: watchId, keys: timingKey(timing) })),
    );
  const pace = `${secondsText(delay.p50Ms)} instead of ${secondsText(list.instead.p50Ms)}`;
  return `a public list of the ${list.handles.toLocaleString("en-US")} handles of ${names} (\`via_list\`), read every ${every}: ${pace}`;
}

/**
 * Returns the settings to write, each with the watches that get it. Watches with the same settings
 * are listed together.
 */
function together(changes: readonly { readonly id: string; readonly keys: string }[]): string {
  const ids = new Map<string, string[]>();
  for (const { id, keys } of changes) ids.set(keys, [...(ids.get(keys) ?? []), id]);
  return namesOf([...ids].map(([keys, own]) => `\`${keys}\` on ${namesOf(own)}`));
}

/** Returns the timing as it is written in the configuration. */
function timingKey(timing: Timing): string {
  if (timing.kind === "schedule") return `schedule: "${timingText(timing)}"`;
  const { freshness } = timing;
  return freshness.kind === "p95"
    ? `freshness: ${formatDuration(freshness.p95Ms)}`
    : `freshness: { mean: ${formatDuration(freshness.meanMs)}, max: ${formatDuration(freshness.maxMs)} }`;
}

const MAX_NAMED = 5;
const namesOf = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMED).join(", ")} and ${names.length - MAX_NAMED} more (--json names all)`;

/** Returns a delay as text, in whole seconds. */
const secondsText = (ms: number): string =>
  formatDuration(Math.max(1_000, Math.round(ms / 1_000) * 1_000));

export const delayView = ({ p50Ms, p95Ms }: Delay) => ({
  p50: round(p50Ms / 1_000),
  p95: round(p95Ms / 1_000),
});

/** Rounds to two digits, which is precise enough for a forecast. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** Rounds money to six digits, because a request may cost a small part of a cent. */
export const roundMoney = (amount: number): number => Math.round(amount * 1_000_000) / 1_000_000;
