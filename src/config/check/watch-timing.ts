/**
 * Checks when a watch polls: its schedule or freshness, and what must fit the interval of its polls
 * (`max_age`, `recheck`, `spike`, `no_events`, full polls).
 */
import { formatDuration, parseDuration } from "../../model/duration.ts";
import type { Schedule } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { DEFAULTS } from "../defaults.ts";
import type { Report } from "../report.ts";
import type { CommonWatch } from "../schema/watch-schema.ts";
import { childOf, type Entry, type Place } from "../tree.ts";
import { readSchedule, SAMPLE_DAY_MS } from "./schedule.ts";

export interface TimingDeps {
  readonly report: Report;
  readonly timetable: Timetable;
  /** How long the state keeps what it has seen, in milliseconds. */
  readonly retentionMs: number;
}

export function checkSchedule(
  common: CommonWatch,
  type: WatchType<any>,
  at: (key: string) => Place,
  deps: TimingDeps,
): Schedule | undefined {
  const written = common.schedule;
  const schedule = readSchedule(
    typeof written === "string" ? written : { cron: written.cron, timezone: written.timezone },
    common.timezone,
    deps.timetable,
  );
  if (typeof schedule === "string") {
    deps.report.error(at("schedule"), "schedule", schedule);
    return undefined;
  }
  const intervalMs = deps.timetable.intervalMs(schedule, SAMPLE_DAY_MS);
  if (type.dataIntervalMs !== undefined && intervalMs < type.dataIntervalMs) {
    const message = `polls every ${formatDuration(intervalMs)}, but ${type.type} data changes about every ${formatDuration(type.dataIntervalMs)}: the extra requests find nothing new`;
    deps.report.warn(at("schedule"), "faster-than-data", message);
  }
  return schedule;
}

export function checkMaxAge(
  common: CommonWatch,
  intervalMs: number,
  at: (key: string) => Place,
  deps: TimingDeps,
): number {
  const usualMs = parseDuration(DEFAULTS.watch.max_age) ?? 0;
  const maxAgeMs =
    common.max_age ??
    Math.min(deps.retentionMs, intervalMs >= usualMs ? Math.max(usualMs, 2 * intervalMs) : usualMs);
  const retention = formatDuration(deps.retentionMs);
  if (maxAgeMs < intervalMs) {
    const isRemembered = 2 * intervalMs <= deps.retentionMs;
    const short =
      common.max_age === undefined
        ? `\`state.retention\` ${retention}`
        : `\`max_age\` ${formatDuration(maxAgeMs)}`;
    const cure = `${formatDuration(2 * intervalMs)} or more${isRemembered || common.max_age === undefined ? "" : `, with a \`state.retention\` as long`}`;
    const message = `${short} is shorter than the schedule's interval of ${formatDuration(intervalMs)}: items between two polls would be lost; write ${cure}`;
    deps.report.error(at("max_age"), "max-age-below-interval", message);
  }
  if (common.max_age !== undefined && maxAgeMs > deps.retentionMs) {
    const message = `\`max_age\` ${formatDuration(maxAgeMs)} is longer than \`state.retention\` ${retention}: items would be forgotten and raise an alert again; write ${retention} or less, or a longer \`state.retention\``;
    deps.report.error(at("max_age"), "max-age-above-retention", message);
  }
  return maxAgeMs;
}

/**
 * Checks `recheck` against the retention, and `spike` and `no_events` against the interval of
 * polls.
 */
export function checkFollowing(
  common: CommonWatch,
  intervalMs: number,
  at: (...path: readonly string[]) => Place,
  deps: TimingDeps,
): void {
  const { recheck, spike, no_events: noEvents } = common;
  if (recheck !== undefined && recheck.untilMs > deps.retentionMs) {
    const message = `\`until\` ${formatDuration(recheck.untilMs)} is longer than \`state.retention\` ${formatDuration(deps.retentionMs)}: the state forgets the tweets before that; write ${formatDuration(deps.retentionMs)} or less`;
    deps.report.error(at("recheck", "until"), "recheck", message);
  }
  if (spike !== undefined && spike.windowMs < intervalMs) {
    const message = `\`window\` ${formatDuration(spike.windowMs)} is shorter than the schedule's interval of ${formatDuration(intervalMs)}: most windows would never be checked; write ${formatDuration(intervalMs)} or more`;
    deps.report.error(at("spike", "window"), "spike", message);
  }
  if (noEvents !== undefined && noEvents.for < 2 * intervalMs) {
    const message = `\`for\` ${formatDuration(noEvents.for)} is shorter than two of the schedule's intervals of ${formatDuration(intervalMs)}: write ${formatDuration(2 * intervalMs)} or more`;
    deps.report.error(at("no_events", "for"), "no-events", message);
  }
}

/** Refuses `freshness` together with `schedule`, because both say when to poll. */
export function checkOneRhythm(
  entry: Entry,
  { freshness }: CommonWatch,
  at: (key: string) => Place,
  deps: TimingDeps,
): void {
  const own = entry.node.kind === "map" ? childOf(entry.node, "schedule") : undefined;
  if (freshness === undefined || own === undefined) return;
  const message =
    "`freshness` lets the planner choose when to poll, but `schedule` fixes it: keep one of them";
  deps.report.error(at("freshness"), "freshness-and-schedule", message);
}

/**
 * Checks that full polls are frequent enough to find posts before these are too old for an alert.
 */
export function checkFullPolls(
  { fullPollEveryMs }: Pick<Watch, "fullPollEveryMs"> = {},
  maxAgeMs: number,
  at: (key: string) => Place,
  deps: TimingDeps,
): void {
  if (fullPollEveryMs === undefined || fullPollEveryMs <= maxAgeMs / 2) return;
  const message = `\`full_poll_every\` ${formatDuration(fullPollEveryMs)} is more than half of \`max_age\` ${formatDuration(maxAgeMs)}: what it finds would be too old for an alert; write ${formatDuration(Math.floor(maxAgeMs / 2))} or less`;
  deps.report.error(at("full_poll_every"), "full-poll-above-max-age", message);
}
