/**
 * Replays archived reads through one configuration: routing, de-duplication, grouping, throttles,
 * digests and mutes run as in a daemon, on a clock and a state of their own, and sinks only record
 * what they get.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import { createPump, type Pump } from "../../deliver/pump.ts";
import { DestinationPace } from "../../deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../deliver/queue/message-sizes.ts";
import type { PumpSink } from "../../deliver/queue/sink-queue.ts";
import { createSinkWaits } from "../../deliver/queue/sink-waits.ts";
import type { ArchivedRead } from "../../model/archive.ts";
import type { Hash } from "../../model/hash.ts";
import type { EventRecord } from "../../model/history.ts";
import type { Log } from "../../model/log.ts";
import type { Random } from "../../model/random.ts";
import type { Store } from "../../model/store.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { sinkFactsOf, sinkTypeOf } from "../../operate/alerts/create-sink.ts";
import { createRouting, createWaitRules } from "../../operate/alerts/routing.ts";
import { ReplayedWatches, type WatchCount } from "../../operate/backtest/replayed-watches.ts";
import { createReader } from "../../operate/create-reader.ts";
import { planWatches } from "../../operate/plan/configured-polls.ts";
import { findSilence, type Silence } from "../../route/silence.ts";
import { throttlesByKey } from "../../route/route-event.ts";
import { digestsByName } from "../../route/scheduled-digest.ts";
import { createReplayClock, type ReplayClock } from "../../runtime/replay-clock.ts";
import { createMeter } from "../../server/metrics/meter.ts";
import { openMemory } from "../../state/open-memory.ts";

/** A message that a sink would have got. */
export interface RecordedMessage {
  readonly sink: string;
  readonly atMs: number;
  readonly alerts: number;
}

export interface ReplayResult {
  readonly records: readonly EventRecord[];
  readonly messages: readonly RecordedMessage[];
  readonly counts: ReadonlyMap<string, WatchCount>;
}

/** A silence with the time since when it holds. */
export interface ReplayedSilence extends Silence {
  readonly startsAtMs: number;
}

export interface ReplayDeps {
  readonly states: readonly WatchState[];
  readonly silences: readonly ReplayedSilence[];
  readonly random: Random;
  readonly hash: Hash;
  readonly log: Log;
  /** When the warm-up begins. */
  readonly startMs: number;
}

export interface ConfigReplay {
  /** Replays a read at its time. Reads come in the order of time. */
  take(read: ArchivedRead): Promise<void>;
  /** Lets time pass without a read. */
  passTo(atMs: number): Promise<void>;
  /** Forgets what was counted so far, which warmed it up. */
  begin(): void;
  /** Ends the replay, and returns what it found since `sinceMs`. */
  end(sinceMs: number): Promise<ReplayResult>;
}

/** How many events are read at once for the result. */
const RECORDS_AT_ONCE = 200;

export async function createReplay(config: Config, deps: ReplayDeps): Promise<ConfigReplay> {
  const { states, silences, random, hash, log, startMs } = deps;
  const clock = createReplayClock(startMs);
  const store = openMemory({ clock, random });
  const messages: RecordedMessage[] = [];
  const planned = [...planWatches(config, hash, states).values()];
  const watches = new ReplayedWatches(planned, states, { hash, startMs });
  const holding = () => silences.filter(({ startsAtMs }) => startsAtMs <= clock.now());
  const routing = createRouting(config, holding);
  const sinksOf = new Map(planned.map(({ watchKey, watch }) => [watchKey, watch.sinks]));
  const names = config.sinks.map(({ name }) => name);
  const pump = createRecordingPump(config, {
    ...{ store, clock, random, log, messages },
    silences: holding,
    silenceOf: (event, sink) => findSilence(holding(), event, { sink, nowMs: clock.now() })?.id,
    sinksOf: (watchKey) => sinksOf.get(watchKey),
  });
  await pump.start();
  await clock.settle();
  const passTo = (atMs: number) => pass({ store, clock, names }, atMs);
  return {
    passTo,
    begin() {
      watches.resetCounts();
      messages.length = 0;
    },
    async take(read) {
      const events = watches.evaluate(read);
      if (events.length === 0) return;
      await passTo(read.atMs);
      const routed = events.map((event) => ({
        event: event.event,
        deliveries: routing.routeOf(event, read.atMs, read.gatherMs),
      }));
      await store.commitPoll({
        ...{ atMs: read.atMs, targets: [], verdicts: [] },
        events: routed.map(({ event }) => event),
        deliveries: routed.flatMap(({ deliveries }) => deliveries),
      });
      pump.wake();
      await clock.settle();
    },
    async end(sinceMs) {
      await pump.stop(0);
      const records = await recordsSince(store, sinceMs);
      await store.close();
      return { records, messages, counts: watches.counts() };
    },
  };
}

/**
 * Lets time pass: step by step while something is due, and at once where nothing is, because a
 * pump that has nothing to do still looks twice a minute.
 */
async function pass(
  { store, clock, names }: { store: Store; clock: ReplayClock; names: readonly string[] },
  atMs: number,
): Promise<void> {
  for (;;) {
    await clock.settle();
    const dueMs = await store.nextDueAt(names);
    if (dueMs === null || dueMs > atMs) break;
    if (dueMs > clock.now()) await clock.leap(dueMs);
    else if (!(await clock.step(atMs))) break;
  }
  await clock.leap(atMs);
  await clock.settle();
}

interface RecordingDeps extends Pick<ReplayDeps, "random" | "log"> {
  readonly store: Store;
  readonly clock: ReplayClock;
  readonly messages: RecordedMessage[];
  readonly silences: () => readonly Silence[];
  silenceOf(event: Parameters<typeof findSilence>[1], sink: string): string | undefined;
  sinksOf(watchKey: string): readonly string[] | undefined;
}

function createRecordingPump(config: Config, deps: RecordingDeps): Pump {
  const { store, clock, random, log, messages, silences, silenceOf, sinksOf } = deps;
  const facts = sinkFactsOf(config.sinks);
  const read = createReader(config.linksHost);
  return createPump({
    ...{ store, clock, random, log, silenceOf },
    meter: createMeter(),
    sinks: new Map(config.sinks.map((one) => [one.name, recorderOf(one, clock, messages)])),
    throttles: throttlesByKey(config.route, facts),
    digests: digestsByName(config.route, facts),
    waitRules: createWaitRules(config, { clock, active: { sinksOf }, silences }),
    holds: () => true,
    mayAct: async () => true,
    readEvent: (event) => read(event),
    listedAt: () => "",
    onSinkFailing: () => undefined,
    onSinkRecovered: () => undefined,
    onDead: () => undefined,
    onPart: () => undefined,
    onUnpublished: () => undefined,
  });
}

function recorderOf(config: SinkConfig, clock: ReplayClock, messages: RecordedMessage[]): PumpSink {
  const type = sinkTypeOf(config);
  const limits = config.settings === undefined ? undefined : type.limits?.(config.settings);
  return {
    type: config.type,
    ...{ chat: type.chat, concurrency: type.concurrency, retryForMs: config.retryForMs },
    place: config.name,
    pace: new DestinationPace(limits),
    sizes: new MessageSizes(),
    waits: createSinkWaits(),
    sink: {
      render: () => null,
      async send({ sink, alerts = 1 }) {
        messages.push({ sink, atMs: clock.now(), alerts });
        return {};
      },
    },
  };
}

export async function recordsSince(
  store: Pick<Store, "eventHeads" | "eventRecords">,
  sinceMs: number,
): Promise<readonly EventRecord[]> {
  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const { heads, next } = await store.eventHeads(sinceMs, before);
    ids.push(...heads.filter((head) => head.detectedAtMs >= sinceMs).map(({ id }) => id));
    if (next === null) break;
    before = next;
  }
  ids.reverse();
  const records: EventRecord[] = [];
  for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE)
    records.push(...(await store.eventRecords(ids.slice(at, at + RECORDS_AT_ONCE))));
  return records;
}
