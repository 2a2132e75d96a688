/** From what the parts know to the one snapshot that status page, API and `chirpwatch status` show. */
import { isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import type { EventRecord } from "../model/history.ts";
import type { WatchState } from "../model/watch-store.ts";
import type { Freshness, Schedule } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";
import type { EventLine, WatchView } from "../server/views.ts";
import { createReader } from "./delivery.ts";
import { memberListViews } from "./member-list-view.ts";
import { notedItems } from "./noted-items.ts";
import type { WaitReader } from "./waiting.ts";

export const scheduleText = (schedule: Schedule): string =>
  schedule.kind === "every" ? `@every ${formatDuration(schedule.intervalMs)}` : `${schedule.pattern} (${schedule.timezone})`;

/** A watch's schedule, or what it asked for instead of one. */
export const rhythmText = ({ freshness, schedule }: Watch): string =>
  freshness === undefined ? scheduleText(schedule) : freshnessText(freshness);

export const freshnessText = (freshness: Freshness): string =>
  freshness.kind === "p95"
    ? `within ${formatDuration(freshness.p95Ms)}`
    : `mean ${formatDuration(freshness.meanMs)}, at most ${formatDuration(freshness.maxMs)}`;

const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : isoTime(epochMs);

export interface WatchFacts {
  readonly state: WatchState | undefined;
  readonly sink: string;
  readonly lastPollMs: number | undefined;
  readonly nextPollMs: number | undefined;
  readonly spent: number;
  readonly problem: string;
}

export function watchView(watch: Watch, facts: WatchFacts): WatchView {
  return {
    id: watch.id,
    type: watch.type,
    sink: facts.sink,
    priority: watch.priority,
    paused: facts.state?.paused ?? false,
    schedule: rhythmText(watch),
    targets: (facts.state?.targets ?? []).map(({ name, status, statusReason }) => ({ name, status, reason: statusReason })),
    member_lists: memberListViews(watch, facts.state?.targets ?? []),
    known_items: facts.state === undefined ? 0 : notedItems(watch.type, facts.state),
    last_poll_at: isoOrNull(facts.lastPollMs),
    next_poll_at: isoOrNull(facts.nextPollMs),
    requests_spent: facts.spent,
    problem: facts.problem,
  };
}

/** An event in one line, with what became of it. */
export function eventLine({ event, deliveries }: EventRecord, linksHost: string, readWait: WaitReader): EventLine {
  const message = createReader(linksHost)({ event, watches: [event.watch] });
  return {
    id: event.id,
    type: event.type,
    watch: event.watch,
    title: message.title,
    url: message.url ?? null,
    occurred_at: isoTime(event.occurredAtMs),
    detected_at: isoTime(event.detectedAtMs),
    deliveries: deliveries.map(({ sink, state, wait }) => ({ sink, state, wait: wait === null ? null : readWait(sink, wait) })),
  };
}
