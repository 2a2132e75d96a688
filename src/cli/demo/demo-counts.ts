/**
 * Counts what the demo shows and checks. The numbers come from the state that the daemon wrote, not
 * from what the demo itself remembers.
 */
import type { ChirpEvent } from "../../model/event.ts";
import type { ReportStore } from "../../model/report.ts";
import type { Store } from "../../model/store.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { notedItems } from "../../operate/views/status-view.ts";
import { isReadingType } from "../../watches/registry.ts";

export type DemoStore = Pick<
  Store,
  "recentEvents" | "explainItem" | "listWatches" | "outboxStats" | "findEvents" | keyof ReportStore
>;

export interface NotedWatch {
  readonly id: string;
  readonly type: string;
  readonly items: number;
  /** The name of the counted things: "items" or, for watches of values, "readings". */
  readonly unit: string;
}

export interface DemoCounts {
  readonly events: number;
  readonly sent: number;
  readonly waiting: number;
  readonly dead: number;
  /** The delay from each item's own time to its delivery, ascending. */
  readonly lagsMs: readonly number[];
  /** The delay from the creation of each event to its delivery, ascending. */
  readonly addedMs: readonly number[];
}

/** A limit that is higher than the number of events that a demo can create. */
const ALL = 5_000;

/** Returns the events of watches, newest first, without the daemon's events about itself. */
export const watchEvents = async (store: DemoStore): Promise<readonly ChirpEvent[]> =>
  (await store.recentEvents(ALL)).filter(({ watch }) => watch !== "");

const isSettled = ({ baselineAtMs, status }: WatchState["targets"][number]): boolean =>
  baselineAtMs !== null ||
  status === "unavailable" ||
  status === "misconfigured" ||
  status === "not_indexed";

/** Whether the baseline of every watch is complete. */
export const hasBaseline = async (
  store: DemoStore,
  watchIds: readonly string[],
): Promise<boolean> =>
  (await store.listWatches())
    .filter(({ id }) => watchIds.includes(id))
    .every(({ targets }) => targets.every(isSettled));

/** Returns how many items were recorded without an alert: the known items minus the events. */
export async function notedWatches(
  store: DemoStore,
  watchIds: readonly string[],
): Promise<readonly NotedWatch[]> {
  const events = await watchEvents(store);
  return (await store.listWatches())
    .filter(({ id }) => watchIds.includes(id))
    .map(({ id, type, knownItems, targets }) => {
      const noted = notedItems(type, { knownItems, targets });
      const alerts = events.filter(({ watch }) => watch === id).length;
      return isReadingType(type)
        ? { id, type, items: noted, unit: "readings" }
        : { id, type, items: Math.max(0, noted - alerts), unit: "items" };
    });
}

/** Returns the id of the item. A follower's subject begins with the watched account. */
export const itemOf = ({ subject }: ChirpEvent): string =>
  subject.slice(subject.lastIndexOf("/") + 1);

export async function countAll(store: DemoStore): Promise<DemoCounts> {
  const events = await watchEvents(store);
  const stats = await store.outboxStats();
  const lagsMs: number[] = [];
  const addedMs: number[] = [];
  for (const event of events) {
    // An event about a changed value occurs when it is detected, so it has no delay to measure.
    if (event.occurredAtMs === event.detectedAtMs) continue;
    const sentAtMs = await sentAt(store, event);
    if (sentAtMs === undefined) continue;
    lagsMs.push(sentAtMs - event.occurredAtMs);
    addedMs.push(sentAtMs - event.detectedAtMs);
  }
  const ascending = (a: number, b: number) => a - b;
  return {
    events: events.length,
    sent: sum(stats.map(({ sent }) => sent)),
    waiting: sum(stats.map(({ waiting }) => waiting)),
    dead: sum(stats.map(({ dead }) => dead)),
    lagsMs: lagsMs.sort(ascending),
    addedMs: addedMs.sort(ascending),
  };
}

/** What the simulated days before a demo left in the state. */
export interface PastCounts {
  /** The number of alerts by watch id. */
  readonly events: ReadonlyMap<string, number>;
  /** The number of deliveries. */
  readonly sent: number;
  /** The item of the latest event, a tweet if there is one. Undefined if there is no event. */
  readonly latestItem: string | undefined;
  readonly polls: number;
  readonly billed: number;
  /** When those days ended, and how long simulating them took. */
  readonly untilMs: number;
  readonly tookMs: number;
}

export async function countPast(
  store: DemoStore,
): Promise<Pick<PastCounts, "events" | "sent" | "latestItem">> {
  const events = await watchEvents(store);
  const byWatch = new Map<string, number>();
  for (const { watch } of events) byWatch.set(watch, (byWatch.get(watch) ?? 0) + 1);
  const latest = events.find(({ type }) => type.startsWith("tweet.")) ?? events[0];
  return {
    events: byWatch,
    sent: sum((await store.outboxStats()).map(({ sent }) => sent)),
    latestItem: latest === undefined ? undefined : itemOf(latest),
  };
}

/** Returns a view of the state without the events and deliveries of the simulated days. */
export const storeSince = (store: DemoStore, { untilMs, sent: before }: PastCounts): DemoStore => ({
  listWatches: () => store.listWatches(),
  findEvents: (query) => store.findEvents(query),
  watchReads: (keys, fromMs, toMs) => store.watchReads(keys, fromMs, toMs),
  eventHeads: (sinceMs, before) => store.eventHeads(sinceMs, before),
  eventRecords: (ids) => store.eventRecords(ids),
  firstWatchHour: () => store.firstWatchHour(),
  explainItem: (id) => store.explainItem(id),
  recentEvents: async (limit) =>
    (await store.recentEvents(limit)).filter(({ detectedAtMs }) => detectedAtMs >= untilMs),
  async outboxStats() {
    const [first, ...rest] = await store.outboxStats();
    return first === undefined ? [] : [{ ...first, sent: first.sent - before }, ...rest];
  },
});

/** Returns when the event's alert was first delivered. Undefined while it waits. */
export async function sentAt(store: DemoStore, event: ChirpEvent): Promise<number | undefined> {
  const histories = await store.explainItem(itemOf(event));
  const own = histories.find((history) => history.event?.id === event.id);
  return own?.deliveries.map(({ sentAtMs }) => sentAtMs).find((time) => time !== null);
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
