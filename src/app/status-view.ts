/** From what the parts know to the one snapshot that status page, API and `chirpwatch status` show. */
import type { Config } from "../config/config.ts";
import { isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { OutboxStats, SinkHealth } from "../model/outbox.ts";
import type { WatchState } from "../model/watch-store.ts";
import type { Freshness, Schedule } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";
import type { EventLine, SinkView, WatchView } from "../server/views.ts";
import { createReader } from "./delivery.ts";

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
    known_items: facts.state?.knownItems ?? 0,
    last_poll_at: isoOrNull(facts.lastPollMs),
    next_poll_at: isoOrNull(facts.nextPollMs),
    requests_spent: facts.spent,
    problem: facts.problem,
  };
}

export function sinkViews(config: Config, health: readonly SinkHealth[], stats: readonly OutboxStats[]): readonly SinkView[] {
  return config.sinks.map(({ name, type }) => {
    const own = stats.find(({ sink }) => sink === name);
    const breaker = health.find(({ sink }) => sink === name);
    return {
      name,
      type,
      breaker: breaker?.breaker ?? "closed",
      reason: breaker?.breaker === "open" ? breaker.reason : "",
      waiting: own?.waiting ?? 0,
      oldest_at: isoOrNull(own?.oldestAtMs),
      sent: own?.sent ?? 0,
      dead: own?.dead ?? 0,
    };
  });
}

export function eventLine(event: ChirpEvent, linksHost: string): EventLine {
  const message = createReader(linksHost)({ event, watches: [event.watch] });
  return {
    id: event.id,
    type: event.type,
    watch: event.watch,
    title: message.title,
    url: message.url ?? null,
    occurred_at: isoTime(event.occurredAtMs),
    detected_at: isoTime(event.detectedAtMs),
  };
}
