/** Delivers to one sink: claims what is due, has it dispatched, and reports when the sink fails. Owns the sink's loops; the stages own the steps. */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Outbox } from "../model/outbox.ts";
import type { Claim } from "./group.ts";
import type { InFlight } from "./in-flight.ts";
import { isBeforeProbe, roomInMs, roomOf, type Lane, type Parcel } from "./lane.ts";
import { createLoop, type Loop, type Turn } from "./loop.ts";
import type { Stage } from "./stage.ts";

export interface WorkerDeps {
  readonly store: Pick<Outbox, "nextDueAt">;
  readonly clock: Clock;
  readonly log: Log;
  readonly inFlight: InFlight;
  readonly group: Stage<Lane, Claim>;
  readonly seal: Stage<Claim, readonly Parcel[]>;
  /** Resolves when the message is done with. Never rejects. */
  carry(parcel: Parcel): Promise<void>;
  /** Answers in how many milliseconds the next report is due; undefined when none is. */
  reportSink(lane: Lane): Promise<number | undefined>;
  isStopping(): boolean;
}

const STORE_RETRY_MS = 5_000;

export class Worker {
  readonly #lane: Lane;
  readonly #deps: WorkerDeps;
  readonly #loops: readonly Loop[];

  /** `crosspost`: a turn of publishing what was sent, for a sink that publishes. */
  constructor(lane: Lane, crosspost: Turn | undefined, deps: WorkerDeps) {
    this.#lane = lane;
    this.#deps = deps;
    const turns = [() => this.#turn(), ...(crosspost === undefined ? [] : [crosspost])];
    this.#loops = turns.map((turn) => this.#loopOf(turn));
  }

  /** Something may be due: checks it now. */
  wake(): void {
    for (const loop of this.#loops) loop.look();
  }

  end(): void {
    for (const loop of this.#loops) loop.end();
  }

  #loopOf(turn: Turn): Loop {
    const { clock, log, inFlight, isStopping } = this.#deps;
    const onFailed = (error: unknown) => {
      log.error("the outbox could not be read or written", { sink: this.#lane.name, error: errorText(error) });
      return STORE_RETRY_MS;
    };
    return createLoop({ clock, turn, onFailed, track: (task) => inFlight.track(task), isStopping });
  }

  async #turn(): Promise<number | undefined> {
    const reportInMs = await this.#deps.reportSink(this.#lane);
    const workInMs = await this.#deliverDue();
    return reportInMs === undefined ? workInMs : Math.min(reportInMs, workInMs ?? reportInMs);
  }

  /** Reads the outbox once. Answers in how many milliseconds to read it again; undefined: when something happens. */
  async #deliverDue(): Promise<number | undefined> {
    const { store, clock, group, seal } = this.#deps;
    const lane = this.#lane;
    if (roomOf(lane, clock) === 0) return roomInMs(lane, clock);
    const claim = await group.run(lane);
    const parcels = await seal.run(claim);
    for (const parcel of parcels) this.#carry(parcel);
    if (claim.more) return parcels.length > 0 || lane.inHand === 0 ? 0 : undefined;
    if (isBeforeProbe(lane, clock.now())) return roomInMs(lane, clock);
    const dueAtMs = await store.nextDueAt([lane.name]);
    if (dueAtMs === null) return undefined;
    const waitMs = dueAtMs - clock.now();
    if (waitMs > 0) return waitMs;
    // Due, yet not given: it is in hand, or behind something that is. Its end wakes this worker.
    return lane.inHand > 0 ? undefined : 1_000;
  }

  #carry(parcel: Parcel): void {
    const { inFlight, carry } = this.#deps;
    inFlight.track(carry(parcel).then(() => this.wake()));
  }
}
