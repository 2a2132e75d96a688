/**
 * A pump with everything around it, under the virtual clock: a scripted sink, the outbox that
 * ships, and the alerts that the operator got.
 */
import { DestinationPace } from "../../src/deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../src/deliver/queue/message-sizes.ts";
import { createSinkWaits } from "../../src/deliver/queue/sink-waits.ts";
import { expect } from "vitest";
import type { LogFields } from "../../src/model/log.ts";
import type { NeutralMessage } from "../../src/model/message.ts";
import type {
  Batch,
  Digest,
  DigestPart,
  OutboxEvent,
  SealedMessage,
  SendReceipt,
  Sink,
} from "../../src/model/sink.ts";
import type { Throttle } from "../../src/route/route.ts";
import type { UnpublishedReport } from "../../src/deliver/crosspost.ts";
import { createPump, type Pump, type PumpDeps } from "../../src/deliver/pump.ts";
import type { SinkTrouble } from "../../src/deliver/logs/sink-reports.ts";
import type { PumpSink } from "../../src/deliver/queue/sink-queue.ts";
import { EVENT_TIME_MS, makeEvent } from "../support/make-event.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { type Added, createSqlOutbox } from "../support/sql-outbox.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

export interface Sent {
  readonly atMs: number;
  readonly id: string;
  readonly sink: string;
  /** Subjects of the events, in order. */
  readonly subjects: readonly string[];
  readonly digest: boolean;
  /** Why it is a digest. */
  readonly cause?: string;
  /** When the next digest comes, where the message says so. */
  readonly nextAtMs?: number;
  readonly threadRef?: string;
  /** People whom it calls. */
  readonly mentions?: readonly string[];
  readonly signal: AbortSignal;
}

type Behaviour = (sent: Sent) => SendReceipt | Promise<SendReceipt>;

const neutral = (title: string): NeutralMessage => ({
  title,
  body: "",
  media: [],
  facts: [],
  occurredAtMs: 0,
  watches: [],
  severity: "info",
});

const subjectsOf = (events: readonly OutboxEvent[]) => events.map(({ event }) => event.subject);

/** A message for each ten. */
function renderParts({ cause, sections, mentions = [] }: Digest): readonly DigestPart[] {
  const rest = sections.flatMap(({ items }) => items);
  const messages: (readonly OutboxEvent[])[] = [];
  for (let at = 0; at < rest.length; at += LISTED_AT_ONCE)
    messages.push(rest.slice(at, at + LISTED_AT_ONCE));
  return messages.map((events, index) => ({
    events,
    body: {
      subjects: subjectsOf(events),
      digest: true,
      ...(cause && { cause }),
      ...(index === 0 && mentions.length > 0 && { mentions }),
    },
  }));
}

export const LISTED_AT_ONCE = 10;

/** Nobody needs the time so often at one moment. */
const MAX_READS = 300_000;

/**
 * Fails for good when the clock is read again and again without moving on: else a loop without end
 * would never let its test end.
 */
function countReads(clock: VirtualClock): VirtualClock {
  let atMs = 0;
  let reads = 0;
  const monotonic = () => {
    if (reads > MAX_READS) throw new Error("the clock is read again and again at one moment");
    reads = clock.monotonic() === atMs ? reads + 1 : 0;
    atMs = clock.monotonic();
    return atMs;
  };
  const now = () => {
    monotonic();
    return clock.now();
  };
  return { ...clock, monotonic, now };
}

export function createBench(
  options: {
    readonly throttles?: ReadonlyMap<string, Throttle>;
    readonly silenceOf?: PumpDeps["silenceOf"];
  } = {},
) {
  const clock = countReads(createVirtualClock(EVENT_TIME_MS));
  const outbox = createSqlOutbox(clock);
  const sent: Sent[] = [];
  const opsAlerts: string[] = [];
  const troubles: SinkTrouble[] = [];
  const unpublished: UnpublishedReport[] = [];
  const logged: { readonly level: string; readonly message: string; readonly fields: LogFields }[] =
    [];
  const counts = new Map<string, number>();
  const gauges = new Map<string, number>();
  const observed: { readonly name: string; readonly value: number }[] = [];
  const behaviours = new Map<string, Behaviour>();
  const sinks = new Map<string, PumpSink>();
  const moves: { readonly from: string; readonly to: string }[] = [];
  let seed = 1;

  const logAs =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void logged.push({ level, message, fields });
  // At the default level of a daemon.
  const log = {
    debug: () => undefined,
    info: logAs("info"),
    warn: logAs("warn"),
    error: logAs("error"),
    child: () => log,
  };
  const meter = {
    count: (name: string, labels = {}, by = 1) => {
      const key = `${name}${JSON.stringify(labels)}`;
      counts.set(key, (counts.get(key) ?? 0) + by);
    },
    set: (name: string, value: number, labels = {}) =>
      void gauges.set(`${name}${JSON.stringify(labels)}`, value),
    observe: (name: string, value: number) => void observed.push({ name, value }),
  };

  const sinkOf = (name: string, chat: boolean): Sink => ({
    render: ({ events, sample, mentions = [] }: Batch) => ({
      subjects: subjectsOf(events),
      digest: false,
      ...(sample && { sample }),
      ...(mentions.length > 0 && { mentions }),
    }),
    ...(chat
      ? {
          lists: {
            above: 10,
            render: renderParts,
            announce: (nextAtMs) => ({ subjects: [], digest: false, nextAtMs }),
          },
        }
      : {}),
    send: async (message: SealedMessage, signal) => {
      const body = message.body as { subjects: string[]; digest: boolean };
      const thread = message.threadRef === undefined ? {} : { threadRef: message.threadRef };
      const attempt: Sent = {
        atMs: clock.now(),
        id: message.id,
        sink: name,
        ...body,
        ...thread,
        signal,
      };
      sent.push(attempt);
      return (behaviours.get(name) ?? (() => ({})))(attempt);
    },
  });
  const addSink = (name: string, facts: Partial<PumpSink> = {}, more: Partial<Sink> = {}) => {
    sinks.set(name, {
      type: "webhook",
      sink: { ...sinkOf(name, facts.chat === true), ...more },
      chat: false,
      concurrency: 4,
      retryForMs: 76 * HOUR,
      place: "here",
      pace: new DestinationPace(),
      sizes: new MessageSizes(),
      waits: createSinkWaits(),
      ...facts,
    });
  };
  addSink("hook");

  const newPump = (changes: Partial<PumpDeps> = {}): Pump =>
    createPump({
      store: outbox,
      holds: () => true,
      mayAct: async () => true,
      movedSinks: moves,
      // A process forgets what its sinks asked to wait.
      sinks: new Map(
        [...sinks].map(([name, target]) => [name, { ...target, waits: createSinkWaits() }]),
      ),
      throttles: options.throttles ?? new Map(),
      clock,
      random: createSeededRandom(seed++),
      log,
      meter,
      silenceOf: options.silenceOf ?? (() => undefined),
      readEvent: ({ event }) => neutral(event.subject),
      listedAt: (events) => `${events.length} elsewhere`,
      onSinkFailing: (trouble) => {
        troubles.push(trouble);
        opsAlerts.push(`failing ${trouble.sink}: ${trouble.reason}`);
      },
      onPart: (sink, missed) =>
        void opsAlerts.push(`part ${sink}: ${missed.map(({ receiver }) => receiver).join()}`),
      onDead: () => meter.count("onDead"),
      onUnpublished: (report) => void unpublished.push(report),
      onSinkRecovered: (sink) => void opsAlerts.push(`recovered ${sink}`),
      ...changes,
    });

  return {
    clock,
    outbox,
    sent,
    opsAlerts,
    troubles,
    /** What the operator heard of messages that were not published. */
    unpublished,
    logged,
    counts,
    gauges,
    observed,
    addSink,
    moves,
    sinkNamed: (name: string): PumpSink => sinks.get(name) ?? expect.fail(`no sink ${name}`),
    newPump,
    /** What the sink does from now on. */
    when: (sink: string, behaviour: Behaviour) => void behaviours.set(sink, behaviour),
    /** `again`: another event about the same subject. */
    add: (subject: string, { again = 0, ...added }: Added & { readonly again?: number } = {}) =>
      outbox.add(
        makeEvent(subject, {
          id: `${added.sink ?? "hook"}-${subject}-${again}`,
          detectedAtMs: clock.now(),
        }),
        {
          dueAtMs: clock.now(),
          ...added,
        },
      ),
    subjects: (sink = "hook") =>
      sent.filter((one) => one.sink === sink).flatMap((one) => one.subjects),
    /** Seconds between the first attempt and each, for one sink. */
    offsets: (sink = "hook") => {
      const own = sent.filter((one) => one.sink === sink);
      return own.map((one) => (one.atMs - (own[0]?.atMs ?? 0)) / SECOND);
    },
  };
}
