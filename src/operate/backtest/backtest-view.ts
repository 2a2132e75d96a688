/** What a backtest shows: two replays, their differences, and what was really sent. Pure. */
import { isoTime } from "../../model/clock.ts";
import type { EventRecord } from "../../model/history.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { compare, type Difference, type Placed, placedIn, sinksByEvent } from "./compare.ts";
import type { WatchCount } from "./replayed-watches.ts";

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
  /** Targets that were never read. `after` is then a lower bound. */
  readonly unread: readonly string[];
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

export interface SentDifference {
  readonly id: string;
  readonly watch: string;
  readonly sink: string;
  /** What the replay did with it; null if it did not have it. */
  readonly replayed: string | null;
  /** What became of it; null if the state does not have it. */
  readonly sent: string | null;
  readonly cause: string;
}

export interface BacktestFacts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly before: Replayed;
  readonly after: Replayed;
  /** What the state recorded in this time. */
  readonly sent: readonly EventRecord[];
  readonly sinks: readonly string[];
  readonly sink: string | undefined;
  readonly watch: string | undefined;
  readonly limit: number;
  readonly limits: readonly string[];
  read(event: OutboxEvent): NeutralMessage;
}

const HOUR_MS = 3_600_000;
const MAX_SENT = 1_000;

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
    sent: sentDifferences(own(facts.sent), before, ofSink).slice(0, MAX_SENT),
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
        unread: now?.unread ?? [],
      };
    });
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

/** Compares the replay of the active configuration with what the state recorded. */
function sentDifferences(
  sent: readonly EventRecord[],
  replayed: readonly EventRecord[],
  ofSink: (placed: readonly Placed[]) => readonly Placed[],
): readonly SentDifference[] {
  const watchOf = new Map([...replayed, ...sent].map(({ event }) => [event.id, event.watch]));
  const byPair = (records: readonly EventRecord[]) =>
    new Map(
      ofSink(placedIn(records))
        .filter(({ sink }) => sink !== "enrichment" && !sink.endsWith(" crosspost"))
        .map((one) => [`${one.event}\n${one.sink}`, one]),
    );
  const [was, is] = [byPair(sent), byPair(replayed)];
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((pair) => {
    const [real, tried] = [was.get(pair), is.get(pair)];
    if (real !== undefined && tried !== undefined && alike(real, tried)) return [];
    const [id = "", sink = ""] = pair.split("\n");
    return [
      {
        ...{ id, sink, watch: watchOf.get(id) ?? "" },
        replayed: tried?.state ?? null,
        sent: real?.state ?? null,
        cause: causeOf(real, tried),
      },
    ];
  });
}

/** Whether both sides did the same with an alert. What waits in one may be sent in the other. */
const alike = (one: Placed, other: Placed): boolean => kindOf(one) === kindOf(other);

const kindOf = ({ state }: Placed): string =>
  state === "muted" || state === "silenced" || state === "duplicate"
    ? state
    : state === "dead"
      ? "dead"
      : "delivered";

function causeOf(real: Placed | undefined, tried: Placed | undefined): string {
  if (real === undefined)
    return "the state has no such alert: another configuration was active, or it was found again";
  if (tried === undefined)
    return "the archive does not lead to it: a backfill, a replay or another configuration sent it";
  if (real.detail !== "") return real.detail;
  if (tried.detail !== "") return `replayed: ${tried.detail}`;
  return `the state calls it ${real.state}, and the replay ${tried.state}`;
}
