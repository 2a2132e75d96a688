/**
 * A state that a simulation left, with its events by names that a second simulation of the same
 * world gives them, too. Events that can recur have random ids: here they have the number of the
 * read in which they occurred.
 */
import type { BacktestDeps } from "../../../src/app/backtest/backtest.ts";
import type { ArchivedRead, FoundFact } from "../../../src/model/archive.ts";
import { type ChirpEvent, eventId } from "../../../src/model/event.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { type OpenedStore, openStore } from "../../../src/state/open.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { NO_LOG } from "./no-log.ts";

export interface NamedState {
  /** What a backtest reads. */
  readonly store: BacktestDeps["store"];
  readonly reads: readonly ArchivedRead[];
  readonly activeConfig: string | undefined;
  has(eventId: string): Promise<boolean>;
  close(): Promise<void>;
}

export const openState = (path: string, nowMs: number): Promise<OpenedStore> =>
  openStore({
    ...{ path, random: createSeededRandom(1), log: NO_LOG },
    clock: { now: () => nowMs, monotonic: () => nowMs, after: () => () => undefined },
  });

export async function openNamed(path: string, nowMs: number): Promise<NamedState> {
  const store = await openState(path, nowMs);
  const { reads, names } = nameAll(await allReads(store));
  const origins = new Map([...names].map(([id, name]) => [name, id]));
  const idOf = (name: string) => origins.get(name) ?? name;
  const nameOf = (id: string) => names.get(id) ?? id;
  const named = (event: ChirpEvent): ChirpEvent => ({ ...event, id: nameOf(event.id) });
  return {
    reads,
    activeConfig: await store.currentConfig(),
    has: async (id) => (await store.eventsById([idOf(id)])).length > 0,
    close: () => store.close(),
    store: {
      ...store,
      archivedReads: async (after, untilMs) => ({
        reads: reads.filter(({ atMs }) => atMs > after.atMs && atMs < untilMs),
        last: after.id === "" ? { atMs: untilMs, id: "end" } : undefined,
      }),
      enrichedAt: async (ids) =>
        new Map([...(await store.enrichedAt(ids.map(idOf)))].map(([id, at]) => [nameOf(id), at])),
      eventsById: async (ids) => (await store.eventsById(ids.map(idOf))).map(named),
      eventRecords: async (ids) =>
        (await store.eventRecords(ids)).map((record) => ({
          ...record,
          event: named(record.event),
        })),
      explainEvent: async (name) =>
        (await store.explainEvent(idOf(name))).map((item) => ({
          ...item,
          deliveries: item.deliveries.map((one) => ({
            ...one,
            joinedEventId: one.joinedEventId === null ? null : nameOf(one.joinedEventId),
          })),
        })),
    },
  };
}

async function allReads(store: OpenedStore): Promise<readonly ArchivedRead[]> {
  const all: ArchivedRead[] = [];
  for (let place = { atMs: 0, id: "" }; ; ) {
    const { reads, last } = await store.archivedReads(place, Number.MAX_SAFE_INTEGER, 1_000);
    all.push(...reads);
    if (last === undefined) return all;
    place = last;
  }
}

/** Gives episodes their numbers. */
function nameAll(reads: readonly ArchivedRead[]) {
  const counts = new Map<string, number>();
  const next = (key: string) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return String(count);
  };
  const names = new Map<string, string>();
  const renamed = reads.map((read): ArchivedRead => {
    const ofValues = new Map<string, string>();
    const values = read.values.map((one) => {
      const key = `${one.watchKey} ${one.targetKey}`;
      const episode = `values ${next(key)}`;
      ofValues.set(`${key} ${one.episode}`, episode);
      return { ...one, episode };
    });
    const facts = read.facts.map((fact): FoundFact => {
      const { watchKey, targetKey, type, subject } = fact;
      // The episode of an edit follows from its text.
      if (fact.episode === "" || type === "tweet.edited") return fact;
      const episode =
        ofValues.get(`${watchKey} ${targetKey} ${fact.episode}`) ??
        `fact ${next(`${watchKey} ${targetKey} ${type} ${subject}`)}`;
      const named = { ...fact, episode };
      names.set(eventId(sha256, watchKey, fact), eventId(sha256, watchKey, named));
      return named;
    });
    return { ...read, facts, values };
  });
  return { reads: renamed, names };
}
