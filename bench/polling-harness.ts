/**
 * Runs one search watch on the real store, gate and poll runner. The data service is in memory, so
 * that only the rest is measured.
 */
import { join } from "node:path";
import { registrationOf } from "../src/operate/changes/registration-of.ts";
import type { Routing } from "../src/operate/alerts/routing.ts";
import { createUpstreamPacer } from "../src/budget/upstream-pacer.ts";
import { ArchivedNumbers } from "../src/polling/run/archived-numbers.ts";
import { createPollTrace } from "../src/polling/run/poll-trace.ts";
import { PollRunner } from "../src/polling/run/poll-runner.ts";
import type { PollOutcome } from "../src/polling/run/poll-outcome.ts";
import { createProfiles } from "../src/requests/profiles.ts";
import { createRequestGate } from "../src/requests/request-gate.ts";
import { createServiceClock } from "../src/requests/service-clock.ts";
import type { Tweet } from "../src/model/tweet.ts";
import type { Watch } from "../src/model/watch.ts";
import { planPolls } from "../src/plan/polls/plan-polls.ts";
import { routeEvent } from "../src/route/route-event.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { createTimetable } from "../src/schedule/timetable.ts";
import { createMeter } from "../src/server/metrics/meter.ts";
import type { PostgresAddress } from "../src/model/postgres-address.ts";
import type { Standby } from "../src/state/membership/standby.ts";
import type { OpenedStore } from "../src/state/open.ts";
import { openState } from "../src/state/open-state.ts";
import { search } from "../src/watches/search.ts";
import { SILENT_LOG } from "./silent-log.ts";

export interface PollingHarness {
  readonly store: OpenedStore;
  readonly path: string;
  /**
   * Polls once and receives these tweets. `answeredAtMs` is the time at which the runner's side of
   * the gate had them, on performance.now().
   */
  poll(
    tweets: readonly Tweet[],
  ): Promise<{ readonly outcome: PollOutcome; readonly answeredAtMs: number }>;
  close(): Promise<void>;
}

export interface PollingHarnessOptions {
  readonly folder: string;
  readonly wakeDelivery?: () => void;
  /** The routing of events. By default they go straight to the webhook. */
  readonly routing?: () => Pick<Routing, "routeOf">;
  /** Whether polls are archived. They are by default. */
  readonly isArchiving?: () => boolean;
  /** The database of the state. By default the state is a file in the folder. */
  readonly postgres?: PostgresAddress;
  /**
   * The position of this writer, counted from 0, among all writers on the state. Each one polls a
   * watch of its own, which has a sink of its own.
   */
  readonly writer?: { readonly number: number; readonly of: number };
}

/** The name of the sink that every event of a writer goes to. */
export const hookOf = (writer = 0): string => `hook${writer}`;

/**
 * Creates a harness whose baseline is already read, so that everything polled from now on is new.
 */
export async function createPollingHarness(
  options: PollingHarnessOptions,
): Promise<PollingHarness> {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const path = join(options.folder, "state.db");
  const { postgres, writer = { number: 0, of: 1 } } = options;
  const standby: Standby = {
    signal: new AbortController().signal,
    onWait: () => {},
    onReplaced: fail,
  };
  const store = await openState({
    path,
    ...(postgres === undefined ? {} : { postgres }),
    clock,
    random,
    log: SILENT_LOG,
    standby,
  });
  const serviceClock = createServiceClock(clock);
  let page: readonly Tweet[] = [];
  let answeredAtMs = 0;
  const meter = createMeter();
  const gate = createRequestGate({
    upstream: {
      call: async () => {
        answeredAtMs = performance.now();
        return { tweets: page };
      },
    },
    ledger: store,
    clock,
    serviceClock,
    pacer: createUpstreamPacer(random),
    meter,
    log: SILENT_LOG,
    // With the real limits, the service's ceiling would be measured.
    limits: () => ({
      rate: { count: 100_000, intervalMs: 1 },
      timeoutMs: 30_000,
      quota: { monthly: 10_000_000, reserve: 0, resetDay: 1, timezone: "UTC" },
    }),
    renewKey: async () => false,
    onOutcome: () => {},
  });
  const runner = new PollRunner({
    store,
    gate,
    profiles: createProfiles(gate, clock, SILENT_LOG),
    clock,
    serviceClock,
    random,
    hash: sha256,
    meter,
    log: SILENT_LOG,
    trace: createPollTrace(clock),
    route: (evaluated, nowMs) => ({
      event: evaluated.event,
      deliveries: (options.routing?.() ?? toHook(writer.number)).routeOf(evaluated, nowMs),
    }),
    retentionMs: () => 90 * 86_400_000,
    withoutRemoved: (polled) => polled,
    isArchiving: options.isArchiving ?? (() => true),
    archived: new ArchivedNumbers(),
    wakeDelivery: options.wakeDelivery ?? (() => {}),
  });
  const watches = Array.from({ length: writer.of }, (_, number) => watchOf(number));
  const states = await store.registerWatches(
    watches.map((one) => registrationOf(sha256, one)),
    clock.now(),
  );
  const watch = watchOf(writer.number);
  const state = states.find(({ id }) => id === watch.id);
  if (state === undefined) throw new Error("the watch was not registered");
  const planned = [
    { watch, type: search, watchKey: state.key, paused: false, targets: state.targets },
  ];
  const [poll] = planPolls(planned, {
    hash: sha256,
    timetable: createTimetable(),
    nowMs: clock.now(),
  });
  if (poll === undefined) throw new Error("nothing was planned");
  await runner.run(poll);
  return {
    store,
    path,
    async poll(tweets) {
      page = tweets;
      const outcome = await runner.run(poll);
      return { outcome, answeredAtMs };
    },
    async close() {
      gate.close();
      await store.close();
    },
  };
}

function fail(error: Error): never {
  throw error;
}

const toHook = (writer: number): Pick<Routing, "routeOf"> => {
  const [hook, sinks] = [hookOf(writer), new Map([[hookOf(writer), { chat: false }]])];
  return {
    routeOf: ({ event }, nowMs) =>
      routeEvent(event, { ownSinks: [hook], tree: undefined, sinks, nowMs }),
  };
};

const watchOf = (writer: number): Watch => ({
  id: `bench${writer}`,
  type: search.type,
  settings: { query: `release${writer}` },
  timing: { kind: "schedule", schedule: { kind: "every", intervalMs: 60_000 } },
  priority: "normal",
  labels: { team: "bench" },
  firstRun: { kind: "baseline" },
  maxPages: 10,
  maxAgeMs: 86_400_000,
  overlapMs: 900_000,
  include: { reply: true, quote: true, retweet: true },
  ignore: { authors: [], words: [] },
  sinks: [hookOf(writer)],
  enabled: true,
  onReturn: "digest",
});
