/**
 * Delivers to one sink: claims due messages, dispatches them, and reports when the sink fails. Owns
 * the sink's loops; the stages own the steps.
 */
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Outbox } from "../model/outbox.ts";
import type { Claim } from "./stages/group.ts";
import type { InFlight } from "./in-flight.ts";
import {
  isBeforeProbe,
  isDisabled,
  roomInMs,
  freeSlotsOf,
  type ClaimedMessage,
  type SinkQueue,
} from "./queue/sink-queue.ts";
import { pauseMs } from "./queue/sink-waits.ts";
import { createLoop, type Loop, type LoopTurn } from "./queue/loop.ts";
import type { Stage } from "./stages/stage.ts";

export interface WorkerDeps {
  readonly store: Pick<Outbox, "nextDueAt">;
  readonly clock: Clock;
  readonly log: Log;
  readonly inFlight: InFlight;
  readonly group: Stage<SinkQueue, Claim>;
  readonly seal: Stage<Claim, readonly ClaimedMessage[]>;
  /** Resolves when the message is done. Never rejects. */
  dispatch(claimed: ClaimedMessage): Promise<void>;
  /**
   * Opens the breaker if the sink has answered only with requests to wait for too long, and sends
   * the reports that are due. Returns in how many milliseconds to call it again, or undefined if no
   * later call is needed before something happens.
   */
  reportSink(queue: SinkQueue): Promise<number | undefined>;
  giveUpExpired(queue: SinkQueue): Promise<void>;
  /**
   * Resolves to whether this process delivers to the sink now. Loads the sink's stored health
   * first, if that was not done yet.
   */
  admit(queue: SinkQueue): Promise<boolean>;
  isStopping(): boolean;
  readonly maxPauseMs?: number | undefined;
}

const STORE_RETRY_MS = 5_000;
/**
 * The wait if a delivery is due but no message was claimed, because another message must be sent
 * first or a silence holds the delivery.
 */
const NOT_GIVEN_MS = 1_000;

export class Worker {
  readonly #queue: SinkQueue;
  readonly #deps: WorkerDeps;
  readonly #loops: readonly Loop[];

  /**
   * Creates the worker. `beside` are the turns of other work for the sink, such as publishing and
   * editing sent messages.
   */
  constructor(queue: SinkQueue, beside: readonly LoopTurn[], deps: WorkerDeps) {
    this.#queue = queue;
    this.#deps = deps;
    this.#loops = [() => this.#turn(), ...beside].map((turn) => this.#loopOf(turn));
  }

  /** Makes the worker check now whether something is due. */
  wake(): void {
    for (const loop of this.#loops) loop.wake();
  }

  /** Returns the number of turns of each of its loops. */
  turns(): readonly number[] {
    return this.#loops.map((loop) => loop.turns);
  }

  end(): void {
    for (const loop of this.#loops) loop.end();
  }

  #loopOf(turn: LoopTurn): Loop {
    const { clock, log, inFlight, isStopping, maxPauseMs } = this.#deps;
    const onFailed = (error: unknown) => {
      log.error("the outbox could not be read or written", { sink: this.#queue.name, error });
      return STORE_RETRY_MS;
    };
    const heldTurn: LoopTurn = async () =>
      (await this.#deps.admit(this.#queue)) ? turn() : undefined;
    return createLoop({
      clock,
      turn: heldTurn,
      onFailed,
      track: (task) => inFlight.track(task),
      isStopping,
      maxPauseMs,
    });
  }

  async #turn(): Promise<number | undefined> {
    const reportInMs = await this.#deps.reportSink(this.#queue);
    const workInMs = await this.#deliverDue();
    return reportInMs === undefined ? workInMs : Math.min(reportInMs, workInMs ?? reportInMs);
  }

  /**
   * Dispatches due messages. Returns in how many milliseconds to call it again, or undefined if it
   * need not be called before something happens.
   */
  async #deliverDue(): Promise<number | undefined> {
    const { store, clock, group, seal, giveUpExpired } = this.#deps;
    const queue = this.#queue;
    // While the sink is disabled or paused no message is sent, so messages past `retry_for` are
    // given up here.
    if (isDisabled(queue) || pauseMs(queue, clock) > 0) await giveUpExpired(queue);
    if (freeSlotsOf(queue, clock) === 0) return roomInMs(queue, clock);
    const dueAtMs = await store.nextDueAt([queue.name]);
    if (dueAtMs === null) return undefined;
    const waitMs = dueAtMs - clock.now();
    if (waitMs > 0) return waitMs;
    const claim = await group.run(queue);
    const messages = await seal.run(claim);
    for (const claimed of messages) this.#dispatch(claimed);
    // A claimed message wakes this worker when it is done.
    if (queue.inHand > 0) return claim.more && messages.length > 0 ? 0 : undefined;
    if (claim.more) return 0;
    return isBeforeProbe(queue, clock.now()) ? roomInMs(queue, clock) : NOT_GIVEN_MS;
  }

  #dispatch(claimed: ClaimedMessage): void {
    const { inFlight, dispatch } = this.#deps;
    inFlight.track(dispatch(claimed).then(() => this.wake()));
  }
}
