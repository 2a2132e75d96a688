/**
 * Prepares the queues that this process begins to deliver, and resumes queues of failing sinks when
 * an operator asks for it, here or at another process.
 */
import type { MovedSink, Outbox } from "../model/outbox.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import { askAgain, type AskAgainDeps } from "./ask-again.ts";
import { isDisabled, probeAtOnce, type SinkQueue } from "./queue/sink-queue.ts";
import { endWait, pauseMs } from "./queue/sink-waits.ts";

export interface TakeOverDeps extends Pick<AskAgainDeps, "waitRules"> {
  readonly store: Pick<Outbox, "loadSinkHealth" | "saveSinkHealth" | "moveSink" | "unseal"> &
    AskAgainDeps["store"];
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly movedSinks?: readonly MovedSink[];
}

/** Prepares queues that this process begins to deliver. A probe of each open breaker is due now. */
export async function takeOverQueues(
  deps: TakeOverDeps,
  queues: readonly SinkQueue[],
): Promise<void> {
  const { clock, meter } = deps;
  await moveQueues(deps, queues);
  await sealAnew(deps, queues);
  for (const { name } of queues) await askAgain(deps, name);
  await readHealth(deps, queues);
  for (const queue of queues) {
    probeAtOnce(queue, clock.now());
    meter.set("chirpwatch_breaker_open", queue.health.breaker === "open" ? 1 : 0, {
      sink: queue.name,
    });
  }
}

async function readHealth({ store }: TakeOverDeps, queues: readonly SinkQueue[]): Promise<void> {
  const health = new Map((await store.loadSinkHealth()).map((one) => [one.sink, one]));
  for (const queue of queues) queue.health = health.get(queue.name) ?? queue.health;
}

/**
 * Resumes queues for which another process has recorded in the state that an operator asked to
 * resume them.
 */
export async function takeResumed(
  { store, clock }: TakeOverDeps,
  queues: readonly SinkQueue[],
): Promise<void> {
  const failing = queues.filter(
    (queue) => queue.health.breaker === "open" || pauseMs(queue, clock) > 0,
  );
  if (failing.length === 0) return;
  const stored = new Map((await store.loadSinkHealth()).map((one) => [one.sink, one]));
  for (const queue of failing) {
    const { goneFrom = queue.place, probeAtMs = null } = stored.get(queue.name) ?? {};
    const isSooner =
      probeAtMs !== null && probeAtMs < (queue.health.probeAtMs ?? Number.POSITIVE_INFINITY);
    if (goneFrom !== null || !(isDisabled(queue) || isSooner)) continue;
    queue.health = { ...queue.health, goneFrom: null };
    endWait(queue, clock);
    probeAtOnce(queue, clock.now());
    // If the sink has only asked to wait, its breaker is closed. Saving the health removes the
    // request to resume from the state, so it is applied only once.
    if (queue.health.breaker === "closed") await store.saveSinkHealth(queue.health);
  }
}

/**
 * Resumes a queue and returns whether it was disabled. If another process delivers it, the stored
 * health decides that.
 */
export async function resumeQueue(
  deps: TakeOverDeps,
  queue: SinkQueue,
  isHeld: boolean,
): Promise<boolean> {
  const { store, clock } = deps;
  if (!isHeld) await readHealth(deps, [queue]);
  const wasDisabled = isDisabled(queue);
  endWait(queue, clock);
  queue.health = { ...queue.health, goneFrom: null };
  probeAtOnce(queue, clock.now());
  if (queue.health.breaker === "open") await store.saveSinkHealth(queue.health);
  // The process that delivers to the sink may know of a wait, which the stored probe time ends.
  else if (!isHeld) await store.saveSinkHealth({ ...queue.health, probeAtMs: clock.now() });
  return wasDisabled;
}

async function moveQueues(
  { store, log, movedSinks = [] }: TakeOverDeps,
  queues: readonly SinkQueue[],
): Promise<void> {
  for (const move of movedSinks) {
    if (!queues.some(({ name }) => name === move.to)) continue;
    const moved = await store.moveSink(move);
    if (moved > 0) log.info("a sink has a new name and keeps its queue", { ...move, moved });
  }
}

/**
 * Makes the store discard the rendered messages of sinks whose type has changed, so that they are
 * sealed again. The type changes if `moved_from` names a sink of another type, or if the sink's own
 * entry was edited.
 */
async function sealAnew({ store, log }: TakeOverDeps, queues: readonly SinkQueue[]): Promise<void> {
  for (const { name: sink, type } of queues) {
    const messages = await store.unseal(sink, type);
    if (messages > 0)
      log.info("a sink has another type: its waiting messages are rendered again", {
        sink,
        type,
        messages,
      });
  }
}
