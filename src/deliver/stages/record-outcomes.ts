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

/** The longest time that a result waits for other results to be committed with it. */
const GATHER_MS = 10;
/** The minimum time between commits, because each one costs as much as several deliveries. */
const COMMIT_SPACING_MS = 20;
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
    nextAtMs = deps.clock.monotonic() + COMMIT_SPACING_MS;
    for (const entry of batch) entry.done();
    return COMMIT_SPACING_MS;
  };
  return {
    name: "record",
    flush,
    run: (result) =>
      new Promise((done) => {
        waiting.push({ result, done });
        if (waiting.length >= MAX_AT_ONCE || deps.isStopping()) flush();
        else schedule(Math.max(GATHER_MS, nextAtMs - deps.clock.monotonic()));
      }),
  };
}
