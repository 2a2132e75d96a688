/**
 * The real outbox, on SQLite in memory. It outlives the pumps of a test, as the file outlives a
 * process.
 */
import { type Clock, sleep } from "../../src/model/clock.ts";
import type { CrosspostStore } from "../../src/model/crosspost.ts";
import type { EditStore } from "../../src/model/edit.ts";
import type { FooterStore } from "../../src/model/footer.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { Outbox } from "../../src/model/outbox.ts";
import type { NewDelivery } from "../../src/model/poll-store.ts";
import type { ReplayStore } from "../../src/model/replay.ts";
import type { SilenceStore } from "../../src/model/silence.ts";
import type { WaitsStore } from "../../src/model/waits.ts";
import type { Upkeep } from "../../src/model/store.ts";
import { loadDriver } from "../../src/state/db/driver.ts";
import { migrate } from "../../src/state/migrations/migrate.ts";
import { kyselyOver } from "../../src/state/db/sqlite.ts";
import { createStore } from "../../src/state/store.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export interface Added {
  readonly sink?: string;
  readonly groupKey?: string;
  readonly throttleKey?: string;
  readonly dueAtMs?: number;
}

export interface StoredMessage {
  readonly id: string;
  readonly state: "open" | "sent" | "dead";
  readonly attempts: number;
  readonly error: string;
  readonly ref: string | null;
}

export interface SqlOutbox
  extends Outbox,
    WaitsStore,
    CrosspostStore,
    EditStore,
    FooterStore,
    Pick<SilenceStore, "silenceDeliveries">,
    Pick<ReplayStore, "findReplayable" | "replay">,
    Pick<Upkeep, "setTimesBack"> {
  /**
   * Adds a delivery to sink `hook`, by default alone in its group and due at once. Committed before
   * the next read of the outbox.
   */
  add(event: ChirpEvent, options?: Added): void;
  /** Messages in the order in which they were sealed. */
  readonly messages: readonly StoredMessage[];
  /** The states of the deliveries, in the order in which they were added. */
  readonly deliveryStates: readonly string[];
  /** Returns the stored state of a sink's breaker, or undefined if the sink never failed. */
  health(
    sink: string,
  ): { readonly breaker: string; readonly cause: string; readonly reason: string } | undefined;
  /** The number of reads of due work. */
  readonly reads: number;
  /** Makes every call throw, until this is changed. */
  breakDown(broken: boolean): void;
  /** How long a failing call takes, for example because it waits for a lock. */
  failsAfterMs: number;
}

/** An empty state, migrated once for all tests. */
const Database = loadDriver();
const empty = new Database();
await migrate(kyselyOver(empty, createVirtualClock(0)));
const image = empty.serialize();

export function createSqlOutbox(clock: Clock): SqlOutbox {
  const handle = new Database(image);
  handle.pragma("foreign_keys = ON");
  const store = createStore(
    kyselyOver(handle, clock),
    { clock, random: createSeededRandom(1) },
    async () => {},
  );
  const added: { event: ChirpEvent; delivery: NewDelivery }[] = [];
  let broken = false;
  let committed: Promise<unknown> = Promise.resolve();
  const commit = () => {
    const batch = added.splice(0);
    if (batch.length === 0) return committed;
    const events = batch.map(({ event }) => event);
    const deliveries = batch.map(({ delivery }) => delivery);
    committed = committed.then(() =>
      store.commitPoll({ atMs: clock.now(), targets: [], verdicts: [], events, deliveries }),
    );
    return committed;
  };
  const guarded = <Args extends readonly unknown[], Result>(
    work: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args): Promise<Result> => {
      if (broken) {
        await sleep(clock, outbox.failsAfterMs);
        throw new Error("the disk is full");
      }
      await commit();
      return work(...args);
    };
  };
  const turns = createTurnCounter(clock);
  let reads = 0;
  const outbox: SqlOutbox = {
    failsAfterMs: 0,
    dueWork: guarded((query) => {
      turns.count();
      reads += 1;
      return store.dueWork(query);
    }),
    nextDueAt: guarded(store.nextDueAt),
    seal: guarded(store.seal),
    record: guarded(store.record),
    digestPeriod: guarded(store.digestPeriod),
    beginDigests: guarded(store.beginDigests),
    hasDueDigest: guarded(store.hasDueDigest),
    membersOf: guarded(store.membersOf),
    splitMessage: guarded(store.splitMessage),
    lastMentions: guarded(store.lastMentions),
    gather: guarded(store.gather),
    throttleState: guarded(store.throttleState),
    loadSinkHealth: guarded(store.loadSinkHealth),
    saveSinkHealth: guarded(store.saveSinkHealth),
    wakeSink: guarded(store.wakeSink),
    moveSink: guarded(store.moveSink),
    unseal: guarded(store.unseal),
    waitingDeliveries: guarded(store.waitingDeliveries),
    placeAgain: guarded(store.placeAgain),
    holdDeliveries: guarded(store.holdDeliveries),
    holdMessages: guarded(store.holdMessages),
    releaseHeld: guarded(store.releaseHeld),
    revertUntried: guarded(store.revertUntried),
    messageMembers: guarded(store.messageMembers),
    revertSealed: guarded(store.revertSealed),
    findReplayable: guarded(store.findReplayable),
    replay: guarded(store.replay),
    withhold: guarded(store.withhold),
    outboxStats: guarded(store.outboxStats),
    countWaiting: guarded(store.countWaiting),
    dueCrosspost: guarded(store.dueCrosspost),
    recordCrosspost: guarded(store.recordCrosspost),
    expireCrossposts: guarded(store.expireCrossposts),
    crosspostOutlook: guarded(store.crosspostOutlook),
    markCrosspostsReported: guarded(store.markCrosspostsReported),
    editableAlerts: guarded(store.editableAlerts),
    dueEdit: guarded(store.dueEdit),
    recordEdit: guarded(store.recordEdit),
    nextEditAt: guarded(store.nextEditAt),
    dueFooter: guarded(store.dueFooter),
    recordFooter: guarded(store.recordFooter),
    nextFooterAt: guarded(store.nextFooterAt),
    silenceDeliveries: guarded(store.silenceDeliveries),
    setTimesBack: guarded(store.setTimesBack),
    add(event, { sink = "hook", groupKey = event.id, throttleKey, dueAtMs = 0 } = {}) {
      const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: dueAtMs };
      const delivery = {
        eventId: event.id,
        sink,
        groupKey,
        ...timing,
        ...(throttleKey === undefined ? {} : { throttleKey }),
      };
      added.push({ event, delivery });
    },
    get messages() {
      return handle
        .prepare("select id, state, attempts, error, ref from messages order by rowid")
        .all() as StoredMessage[];
    },
    get reads() {
      return reads;
    },
    get deliveryStates() {
      return handle.prepare("select state from deliveries order by id").pluck().all() as string[];
    },
    health: (sink) =>
      handle
        .prepare("select breaker, cause, reason from sink_health where sink = ?")
        .get(sink) as ReturnType<SqlOutbox["health"]>,
    breakDown: (next) => {
      broken = next;
    },
  };
  return outbox;
}

/** No pump needs the outbox this often at one moment. */
const MAX_TURNS = 5_000;

/**
 * Fails for good if something reads the outbox again and again without the clock moving on, because
 * the test would never end.
 */
function createTurnCounter(clock: Clock) {
  let atMs = 0;
  let turns = 0;
  return {
    count() {
      if (turns > MAX_TURNS) throw new Error("the outbox is read again and again at one moment");
      turns = clock.now() === atMs ? turns + 1 : 0;
      atMs = clock.now();
    },
  };
}
