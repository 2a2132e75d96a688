/** What a backtest shows: two replays, their differences, and what was really sent. Pure. */
import { isoTime } from "../../model/clock.ts";
import type { EventRecord } from "../../model/history.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { ITEMS_PER_PAGE } from "../../plan/polls/feed-pages.ts";
import { compare, type Difference, type Placed, placedIn, sinksByEvent } from "./compare.ts";
import type { WatchCount } from "./replayed-watches.ts";
import type { SentDifference } from "./sent-differences.ts";

/** What a replay found. */
export interface Replayed {
  readonly records: readonly EventRecord[];
  readonly messages: readonly { readonly sink: string; readonly atMs: number }[];
  readonly counts: ReadonlyMap<string, WatchCount>;
}

export interface BacktestView {
  readonly from: string;
  readonly to: string;
  /** What it cannot know, as sentences. */
  readonly limits: readonly string[];
  readonly watches: readonly BacktestWatch[];
  readonly sinks: readonly BacktestSink[];
  /** The first alerts. */
  readonly alerts: readonly AlertView[];
  readonly added: ChangedAlerts;
  readonly gone: ChangedAlerts;
  readonly moved: ChangedAlerts;
  /** Where the replay of the active configuration differs from what was really sent. */
  readonly sent: readonly SentDifference[];
}

interface Counts {
  readonly read: number;
  readonly alerted: number;
}

export interface BacktestWatch {
  readonly watch: string;
  /** The counts with the active configuration; null if it does not have the watch. */
  readonly before: Counts | null;
  /** The counts with the tried one; null if it does not have the watch. */
  readonly after: (Counts & { readonly reasons: readonly ReasonCount[] }) | null;
  /** The number of targets with the tried configuration. */
  readonly targets: number;
  /** Targets that were never read. `after` is then a lower bound. */
  readonly unread: readonly string[];
  /**
   * About how many requests a backfill of the period takes for these targets; null if none is
   * needed or possible.
   */
  readonly backfill_requests: number | null;
}

interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

interface SinkCounts {
  readonly alerts: number;
  /** About how many messages these were. */
  readonly messages: number;
}

export interface BacktestSink {
  readonly sink: string;
  readonly before: SinkCounts | null;
  readonly after: SinkCounts | null;
  readonly days: readonly (SinkCounts & { readonly day: string })[];
  readonly busiest_hour: { readonly from: string; readonly alerts: number } | null;
}

export interface AlertView {
  readonly id: string;
  readonly at: string;
  readonly watch: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface ChangedAlerts {
  readonly count: number;
  /** The first of them. */
  readonly alerts: readonly AlertView[];
}

export interface BacktestFacts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly before: Replayed;
  readonly after: Replayed;
  /** Where the state recorded something else. */
  readonly sent: readonly SentDifference[];
  readonly sinks: readonly string[];
  readonly sink: string | undefined;
  readonly watch: string | undefined;
  readonly limit: number;
  readonly limits: readonly string[];
  read(event: OutboxEvent): NeutralMessage;
}

const HOUR_MS = 3_600_000;

export function backtestView(facts: BacktestFacts): BacktestView {
  const { fromMs, toMs, limits, limit, sink, watch } = facts;
  const isShown = ({ event }: EventRecord) => watch === undefined || event.watch === watch;
  const own = (records: readonly EventRecord[]) => records.filter(isShown);
  const ofSink = (placed: readonly Placed[]) =>
    placed.filter((one) => sink === undefined || one.sink === sink);
  const [before, after] = [own(facts.before.records), own(facts.after.records)];
  const [old, now] = [ofSink(placedIn(before)), ofSink(placedIn(after))];
  const events = new Map([...before, ...after].map((record) => [record.event.id, record]));
  const [oldSinks, nowSinks] = [sinksByEvent(old), sinksByEvent(now)];
  const alertOf = (id: string): AlertView => {
    const record = events.get(id);
    if (record === undefined) throw new Error(`no event ${id}`);
    const { event } = record;
    const { title, body: text, url } = facts.read({ event, watches: [event.watch] });
    return {
      ...{ id, at: isoTime(event.detectedAtMs), watch: event.watch, title, text },
      url: url ?? null,
      before: [...(oldSinks.get(id) ?? [])].sort(),
      after: [...(nowSinks.get(id) ?? [])].sort(),
    };
  };
  const inOrder = (differences: readonly Difference[]): ChangedAlerts => ({
    count: differences.length,
    alerts: differences.slice(0, limit).map(({ event }) => alertOf(event)),
  });
  const { added, gone, moved } = compare(old, now);
  return {
    ...{ from: isoTime(fromMs), to: isoTime(toMs), limits },
    watches: watchesOf(facts),
    sinks: facts.sinks
      .filter((name) => sink === undefined || name === sink)
      .map((name) => sinkOf(name, facts, { records: after, now, old })),
    alerts: [...nowSinks.keys()].slice(0, limit).map(alertOf),
    ...{ added: inOrder(added), gone: inOrder(gone), moved: inOrder(moved) },
    sent: facts.sent.filter(
      (one) =>
        (watch === undefined || one.watch === watch) && (sink === undefined || one.sink === sink),
    ),
  };
}

function watchesOf({ before, after, watch }: BacktestFacts): readonly BacktestWatch[] {
  const ids = new Set([...after.counts.keys(), ...before.counts.keys()]);
  return [...ids]
    .filter((id) => watch === undefined || id === watch)
    .map((id) => {
      const [old, now] = [before.counts.get(id), after.counts.get(id)];
      const reasons = [...(now?.reasons ?? [])]
        .map(([reason, count]) => ({ reason, count }))
        .sort((a, b) => b.count - a.count);
      return {
        watch: id,
        before: old === undefined ? null : { read: old.read, alerted: old.alerted },
        after: now === undefined ? null : { read: now.read, alerted: now.alerted, reasons },
        targets: now?.targets ?? 0,
        unread: now?.unread ?? [],
        backfill_requests: now === undefined ? null : backfillRequests(now),
      };
    });
}

/**
 * Estimates what reading the unread targets back would take, if each shows as many posts as the
 * other targets of the watch. If there is no other, at least as many as other watches read.
 */
function backfillRequests({ read, targets, unread, isFeed }: WatchCount): number | null {
  if (unread.length === 0 || !isFeed) return null;
  const known = targets - unread.length;
  const perTarget = read / (known === 0 ? unread.length : known);
  return unread.length * (1 + Math.floor(perTarget / ITEMS_PER_PAGE));
}

interface ShownAlerts {
  readonly records: readonly EventRecord[];
  readonly now: readonly Placed[];
  readonly old: readonly Placed[];
}

function sinkOf(
  sink: string,
  { before, after }: Pick<BacktestFacts, "before" | "after">,
  { records, now, old }: ShownAlerts,
): BacktestSink {
  const alertsIn = (placed: readonly Placed[]) =>
    [...sinksByEvent(placed)].flatMap(([event, sinks]) => (sinks.has(sink) ? [event] : []));
  const messagesOf = ({ messages }: Replayed) => messages.filter((one) => one.sink === sink);
  const timeOf = new Map(records.map(({ event }) => [event.id, event.detectedAtMs]));
  const alerts = alertsIn(now).map((event) => timeOf.get(event) ?? 0);
  const messages = messagesOf(after);
  const dayOf = (atMs: number) => isoTime(atMs).slice(0, 10);
  const days = new Map<string, { alerts: number; messages: number }>();
  const dayAt = (atMs: number) => {
    const known = days.get(dayOf(atMs)) ?? { alerts: 0, messages: 0 };
    days.set(dayOf(atMs), known);
    return known;
  };
  for (const atMs of alerts) dayAt(atMs).alerts += 1;
  for (const { atMs } of messages) dayAt(atMs).messages += 1;
  return {
    sink,
    before: { alerts: alertsIn(old).length, messages: messagesOf(before).length },
    after: { alerts: alerts.length, messages: messages.length },
    days: [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, counts]) => ({ day, ...counts })),
    busiest_hour: busiestHour(alerts),
  };
}

function busiestHour(timesMs: readonly number[]): BacktestSink["busiest_hour"] {
  const hours = new Map<number, number>();
  for (const atMs of timesMs) {
    const hour = Math.floor(atMs / HOUR_MS);
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  const [busiest] = [...hours].sort(([hour, a], [other, b]) => b - a || hour - other);
  return busiest === undefined ? null : { from: isoTime(busiest[0] * HOUR_MS), alerts: busiest[1] };
}
