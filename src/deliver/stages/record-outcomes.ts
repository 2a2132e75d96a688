/**
 * The last delivery stage: commits the results of messages, many in one commit. Keeps each result
 * until it is durable.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { DeliveryResult, Outbox } from "../../model/outbox.ts";
import type { Stage } from "./stage.ts";

export interface RecordDeps {
  readonly store: Pick<Outbox, "record">;
  readonly clock: Clock;
  readonly log: Log;
  /** The sinks whose alerts may be escalated; absent if there is none. */
  readonly escalating?: ReadonlySet<string> | undefined;
  isStopping(): boolean;
}

export interface RecordStage extends Stage<DeliveryResult, void> {
  /** Commits the waiting results now, without waiting for more results. */
  flush(): void;
}

/** The time that a result waits for other results to be committed with it. */
const GATHER_MS = 10;
/**
 * The time from a commit to the next, in multiples of the time that it took. On SQLite nothing else
 * runs during a commit, so results take at most a tenth of the time, however slow the disk is.
 */
const SPACING_PER_COMMIT = 9;
const MAX_SPACING_MS = 100;
const MAX_AT_ONCE = 200;
/** The wait after a failed commit. The results are kept and committed again. */
const STORE_RETRY_MS = 5_000;

interface Entry {
  readonly result: DeliveryResult;
  readonly done: () => void;
}

/**
 * Creates the stage. `run` resolves when the result is durable. While the daemon stops, a failed
 * commit is not repeated: its results are lost, and their messages are sent again under the same
 * ids after the next start.
 */
export function createRecordStage(deps: RecordDeps): RecordStage {
  let waiting: Entry[] = [];
  let timer: Cancel | undefined;
  let writing = false;
  let nextAtMs = 0;

  const schedule = (ms: number) => {
    timer ??= deps.clock.after(ms, flush);
  };
  const flush = () => {
    timer?.();
    timer = undefined;
    if (writing || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    writing = true;
    void write(batch).then((retryInMs) => {
      writing = false;
      if (waiting.length > 0) schedule(deps.isStopping() ? 0 : retryInMs);
    });
  };
  const write = async (batch: readonly Entry[]): Promise<number> => {
    const begunAtMs = deps.clock.monotonic();
    try {
      const results = batch.map((entry) => entry.result);
      await deps.store.record(results, deps.escalating);
    } catch (error) {
      deps.log.error("results of deliveries could not be stored", { results: batch.length, error });
      if (!deps.isStopping()) {
        waiting = [...batch, ...waiting];
        return STORE_RETRY_MS;
      }
    }
    const endedAtMs = deps.clock.monotonic();
    const spacingMs = Math.min(SPACING_PER_COMMIT * (endedAtMs - begunAtMs), MAX_SPACING_MS);
    nextAtMs = endedAtMs + spacingMs;
    for (const entry of batch) entry.done();
    return waiting.length >= MAX_AT_ONCE ? 0 : Math.max(GATHER_MS, spacingMs);
  };
  return {
    name: "record",
    flush,
    run: (result) =>
      new Promise((done) => {
        waiting.push({ result, done });
        if (waiting.length >= MAX_AT_ONCE || deps.isStopping()) flush();
        // The end of a commit under way schedules the next one.
        else if (!writing) schedule(Math.max(GATHER_MS, nextAtMs - deps.clock.monotonic()));
      }),
  };
}
