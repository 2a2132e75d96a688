/**
 * Replays archived reads through one configuration: routing, de-duplication, grouping, throttles,
 * digests and mutes run as in a daemon, on a clock and a state of their own, and sinks only record
 * what they get.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import { createPump, type Pump, type PumpDeps } from "../../deliver/pump.ts";
import { DestinationPace } from "../../deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../deliver/queue/message-sizes.ts";
import type { PumpSink } from "../../deliver/queue/sink-queue.ts";
import { createSinkWaits } from "../../deliver/queue/sink-waits.ts";
import type { ArchivedRead } from "../../model/archive.ts";
import type { Hash } from "../../model/hash.ts";
import type { DeliveryPath, EventRecord } from "../../model/history.ts";
import type { Log } from "../../model/log.ts";
import type { PollCommit } from "../../model/poll-store.ts";
import type { Random } from "../../model/random.ts";
import type { Store } from "../../model/store.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { sinkFactsOf, sinkTypeOf } from "../../operate/alerts/create-sink.ts";
import {
  type Escalations,
  type EscalationsDeps,
  escalatingOf,
  startEscalations,
} from "../../operate/alerts/escalations.ts";
import {
  createRouting,
  createWaitRules,
  type PresentWatch,
  type Routing,
} from "../../operate/alerts/routing.ts";
import type { ReplayedMark } from "../../operate/backtest/replayed-marks.ts";
import {
  type ReplayedItem,
  ReplayedWatches,
  type WatchCount,
} from "../../operate/backtest/replayed-watches.ts";
import type { Answered, StoredAnswers } from "../../operate/backtest/stored-answers.ts";
import { createReader } from "../../operate/create-reader.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { planWatches } from "../../operate/plan/configured-polls.ts";
import { byAgeOfEvents, type EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";
import { findSilence, findSnooze, type Silence } from "../../route/silence.ts";
import { throttlesByKey } from "../../route/route-event.ts";
import { digestsByName } from "../../route/scheduled-digest.ts";
import { createReplayClock, type ReplayClock } from "../../runtime/replay-clock.ts";
import { createMeter } from "../../server/metrics/meter.ts";
import { openMemory } from "../../state/open-memory.ts";
import { enrichmentOf, type WaitingAlert, WaitingAlerts } from "./waiting-alerts.ts";

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
  /** The watches of the active configuration, by which the archive's facts were found. */
  readonly activeWatches: readonly PlannedWatch[];
  readonly states: readonly WatchState[];
  readonly silences: readonly ReplayedSilence[];
  readonly random: Random;
  readonly hash: Hash;
  readonly log: Log;
  /** When the warm-up begins. */
  readonly startMs: number;
  /** What people acknowledged and undid, in the order of time. */
  readonly acknowledged: readonly ReplayedMark[];
  readonly answers: StoredAnswers;
  readonly onItem?: ((item: ReplayedItem) => void) | undefined;
}

export interface ConfigReplay {
  /** Replays the reads of one commit at their time. Commits come in the order of time. */
  take(reads: readonly ArchivedRead[]): Promise<void>;
  /** Lets time pass without a read. */
  passTo(atMs: number): Promise<void>;
  /** Forgets what was counted so far, which warmed it up. */
  begin(): void;
  /** Ends the replay, and returns what it found since `sinceMs`. */
  end(sinceMs: number): Promise<ReplayResult>;
  /** Returns what became of an event at each sink. */
  pathsOf(eventId: string): Promise<readonly DeliveryPath[]>;
  close(): Promise<void>;
}

/** An event that a read raised. */
interface Found {
  readonly evaluated: EvaluatedEvent;
  readonly read: ArchivedRead;
  /** Absent if its watch enriches none. */
  readonly answered: Answered | undefined;
}

/** How many events are read at once for the result. */
const RECORDS_AT_ONCE = 200;

export async function createReplay(config: Config, deps: ReplayDeps): Promise<ConfigReplay> {
  const { activeWatches, states, silences, random, hash, log, startMs, answers, onItem } = deps;
  const clock = createReplayClock(startMs);
  const store = openMemory({ clock, random });
  const messages: RecordedMessage[] = [];
  const planned = [...planWatches(config, hash, states).values()];
  const watches = new ReplayedWatches(planned, states, {
    ...{ active: activeWatches, hash, startMs, onItem },
  });
  const holding = () => silences.filter(({ startsAtMs }) => startsAtMs <= clock.now());
  const routing = createRouting(config, holding);
  const byKey = new Map(planned.map(({ watchKey, watch }) => [watchKey, watch]));
  const pump = createRecordingPump(config, {
    ...{ clock, random, log, messages },
    store: {
      ...store,
      async record(results, escalating) {
        await store.record(results, escalating);
        escalations?.wake();
      },
    },
    silences: holding,
    silenceOf: (event, sink) => findSilence(holding(), event, { sink, nowMs: clock.now() })?.id,
    watchOf: (watchKey) => byKey.get(watchKey),
  });
  const escalations = startReplayedEscalations(config, {
    ...{ store, clock, hash, log, routing, wakeDelivery: () => pump.wake() },
    watchOf: (watchKey) => byKey.get(watchKey),
    isHeld: (event, sink) => isHeld(holding(), event, { sink, nowMs: clock.now() }),
  });
  await pump.start();
  await clock.settle();
  const waiting = new WaitingAlerts({ store, routing, clock, wakeDelivery: () => pump.wake() });
  const passTo = passWith(deps.acknowledged, { store, clock, escalations, waiting });
  const evaluate = createEvaluation(planned, watches, answers);
  return {
    passTo,
    begin() {
      watches.resetCounts();
      messages.length = 0;
    },
    async take(reads) {
      const found = await evaluate(reads);
      if (found.length === 0) return;
      const atMs = Math.max(...reads.map((read) => read.atMs));
      await passTo(atMs);
      await store.commitPoll(commitOf(found, atMs, routing));
      waiting.add(found.flatMap((one) => waitingOf(one, atMs)));
      pump.wake();
      await clock.settle();
      await passTo(atMs);
    },
    async end(sinceMs) {
      // What would wait longer than the period lasts is shown with the rest.
      await waiting.route(Number.POSITIVE_INFINITY);
      await clock.settle();
      await escalations?.stop();
      await pump.stop(0);
      return {
        records: await recordsSince(store, sinceMs),
        messages,
        counts: watches.counts(),
      };
    },
    pathsOf: (eventId) => pathsOf(store, eventId),
    close: () => store.close(),
  };
}

const commitOf = (found: readonly Found[], atMs: number, routing: Routing): PollCommit => ({
  ...{ atMs, targets: [], verdicts: [] },
  events: found.map(({ evaluated }) => evaluated.event),
  deliveries: found.flatMap(({ evaluated, read, answered }) =>
    answered === undefined ? routing.routeOf(evaluated, read.atMs, read.gatherMs) : [],
  ),
  enrichments: found.flatMap(({ evaluated, answered }) =>
    answered === undefined ? [] : [enrichmentOf(evaluated)],
  ),
});

/** Returns the alert if it waits for its enrichment. What has no stored time does not wait long. */
function waitingOf({ evaluated, read, answered }: Found, atMs: number): readonly WaitingAlert[] {
  if (answered === undefined) return [];
  const { event, atMs: answeredAtMs = atMs } = answered;
  const routedAtMs = Math.max(atMs, answeredAtMs);
  return [{ evaluated: { ...evaluated, event }, gatherMs: read.gatherMs, routedAtMs }];
}

/** Returns the function that evaluates the reads of a commit, in the order of its events. */
function createEvaluation(
  planned: readonly PlannedWatch[],
  watches: ReplayedWatches,
  answers: StoredAnswers,
): (reads: readonly ArchivedRead[]) => Promise<readonly Found[]> {
  const enriched = new Set(
    planned.flatMap(({ watch, watchKey }) => (watch.enrich === undefined ? [] : [watchKey])),
  );
  return async (reads) => {
    const found = reads.flatMap((read) =>
      watches.evaluate(read).map((evaluated) => ({ evaluated, read })),
    );
    const events = found
      .map(({ evaluated }) => evaluated.event)
      .filter(({ watchKey }) => enriched.has(watchKey));
    const answered = new Map(
      (await answers.enrich(events)).map((one) => [one.event.id, one] as const),
    );
    if (reads.length > 1) found.sort((a, b) => byAgeOfEvents(a.evaluated.event, b.evaluated.event));
    return found.map((one) => ({ ...one, answered: answered.get(one.evaluated.event.id) }));
  };
}

interface Passing {
  readonly store: Store;
  readonly clock: ReplayClock;
  readonly escalations: Escalations | undefined;
  readonly waiting: WaitingAlerts;
}

/**
 * Returns the function that lets time pass, in which people acknowledge alerts and answers to
 * enrichments come.
 */
function passWith(
  acknowledged: readonly ReplayedMark[],
  { store, clock, escalations, waiting }: Passing,
): (atMs: number) => Promise<void> {
  const marks = [...acknowledged];
  return async (atMs) => {
    for (;;) {
      const [next] = marks;
      const markAtMs = next?.mark.atMs ?? Number.POSITIVE_INFINITY;
      const nextMs = Math.min(markAtMs, waiting.nextAtMs);
      if (nextMs > atMs) break;
      await clock.passTo(nextMs);
      if (next === undefined || waiting.nextAtMs <= markAtMs) await waiting.route(nextMs);
      else {
        marks.shift();
        await store.mark({
          ...{ kind: "acknowledged", what: next.eventId, isUndo: next.isUndo },
          ...next.mark,
        });
        escalations?.wake();
      }
      await clock.settle();
    }
    await clock.passTo(atMs);
  };
}

const isHeld = (...asked: Parameters<typeof findSilence>): boolean =>
  findSilence(...asked) !== undefined || findSnooze(...asked) !== undefined;

interface EscalatingDeps extends Pick<EscalationsDeps, "store" | "clock" | "hash" | "log"> {
  readonly routing: Routing;
  watchOf(watchKey: string): PresentWatch | undefined;
  isHeld: EscalationsDeps["silences"]["isHeld"];
  wakeDelivery(): void;
}

/** Starts the escalation of alerts; undefined if the configuration escalates none. */
const startReplayedEscalations = (
  config: Config,
  { routing, watchOf, isHeld: isHeldNow, ...deps }: EscalatingDeps,
): Escalations | undefined =>
  escalatingOf(config) === undefined
    ? undefined
    : startEscalations({
        ...deps,
        config: () => config,
        routing: () => routing,
        active: { watchOf },
        silences: { isHeld: isHeldNow },
        isWoken: true,
      });

interface RecordingDeps extends Pick<ReplayDeps, "random" | "log"> {
  readonly store: PumpDeps["store"];
  readonly clock: ReplayClock;
  readonly messages: RecordedMessage[];
  readonly silences: () => readonly Silence[];
  silenceOf(event: Parameters<typeof findSilence>[1], sink: string): string | undefined;
  watchOf(watchKey: string): PresentWatch | undefined;
}

function createRecordingPump(config: Config, deps: RecordingDeps): Pump {
  const { store, clock, random, log, messages, silences, silenceOf, watchOf } = deps;
  const facts = sinkFactsOf(config.sinks);
  const read = createReader(config.linksHost);
  return createPump({
    ...{ store, clock, random, log, silenceOf },
    meter: createMeter(),
    sinks: new Map(config.sinks.map((one) => [one.name, recorderOf(one, clock, messages)])),
    throttles: throttlesByKey(config.route, facts),
    digests: digestsByName(config.route, facts),
    waitRules: createWaitRules(config, { clock, active: { watchOf }, silences }),
    escalating: escalatingOf(config),
    holds: () => true,
    mayAct: async () => true,
    readEvent: (event) => read(event),
    listedAt: () => "",
    onSinkFailing: () => undefined,
    onSinkRecovered: () => undefined,
    onDead: () => undefined,
    onPart: () => undefined,
    onUnpublished: () => undefined,
    maxPauseMs: Number.POSITIVE_INFINITY,
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

/** Returns what became of an event at each sink; nothing if the state does not have it. */
export async function pathsOf(
  store: Pick<Store, "explainEvent">,
  eventId: string,
): Promise<readonly DeliveryPath[]> {
  return (await store.explainEvent(eventId))[0]?.deliveries ?? [];
}
