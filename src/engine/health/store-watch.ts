/**
 * What happens when the state cannot be written: nothing is polled that could not be stored, the
 * disk is tried again, the operator is notified. A state that comes and goes is one trouble, which
 * is over once the state has worked for a while.
 */
import type { StoreWatch } from "../../model/store-health.ts";
import type { Cancel } from "../../model/clock.ts";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import { formatDuration } from "../../model/duration.ts";
import type { Ports } from "../../model/ports.ts";
import type { Share } from "../../model/replicas.ts";
import type { Upkeep } from "../../model/store.ts";

export const STORE_RETRY_MS = 5_000;
/** The state has to work for so long before a trouble is over. */
export const STORE_HELD_MS = 30_000;

export interface StoreWatchDeps extends Pick<Ports, "clock" | "log"> {
  readonly store: Pick<Upkeep, "proveWritable" | "proveUnlocked">;
  readonly share: Pick<Share, "isLeading">;
  /**
   * The store cannot hold a notice now: this goes to a sink without it, from the replica that
   * leads, or led last. Never rejects.
   */
  readonly notifyDirectly: (text: string) => Promise<void>;
  readonly onRecovered: () => void;
}

const isStoreError = (error: unknown): error is ChirpwatchError =>
  error instanceof ChirpwatchError && error.code.startsWith("STORE_");

const isReplaced = (error: unknown): boolean =>
  isStoreError(error) && error.code === "STORE_REPLACED";

export const createStoreWatch = (deps: StoreWatchDeps): StoreWatch => new WatchedStore(deps);

/** From the first failure until the state has worked for `STORE_HELD_MS`. */
interface Trouble {
  readonly cause: string;
  readonly sinceMs: number;
  /** When the state was written for the last time after that. */
  endedMs: number;
  /** How often the state failed. */
  times: number;
  /** It did not pass at once. */
  isLasting: boolean;
  isReported: boolean;
}

class WatchedStore implements StoreWatch {
  readonly #deps: StoreWatchDeps;
  /** Why the state cannot be written now, with its cure. */
  #text: string | undefined;
  #open: Trouble | undefined;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  get trouble(): string | undefined {
    return this.#text;
  }

  async prove(): Promise<string | undefined> {
    if (this.#text !== undefined) return this.#text;
    try {
      await this.#write();
      return undefined;
    } catch (error) {
      this.takeError(error);
      return errorText(error);
    }
  }

  async proveUnlocked(): Promise<void> {
    if (this.#text === undefined)
      await this.#deps.store.proveUnlocked().catch((error: unknown) => this.takeError(error));
  }

  takeError(error: unknown): boolean {
    if (!isStoreError(error)) return false;
    // Others do the work of one that is replaced by now, and this process ends.
    if (this.#text !== undefined || isReplaced(error)) return true;
    // A lock that passed meanwhile is no trouble: the poll is tried again. Where it lasts, this
    // says so with another code.
    if (error.code === "STORE_BUSY") void this.prove();
    else this.#begin(error);
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    // Nobody else says that it is over.
    if (this.#text === undefined) this.#close();
  }

  #write(): Promise<void> {
    const { store, clock } = this.#deps;
    return store.proveWritable(clock.now());
  }

  #begin(error: ChirpwatchError): void {
    const { clock } = this.#deps;
    const cause = errorText(error);
    this.#cancel?.();
    this.#text = [cause, error.hint].filter((sentence) => sentence !== "").join(" ");
    this.#open ??= {
      cause,
      sinceMs: clock.monotonic(),
      endedMs: 0,
      times: 0,
      isLasting: false,
      isReported: false,
    };
    this.#open.times += 1;
    // A connection that was cut on its way is back at once, or the replica is replaced: nobody has
    // to hear of either.
    if (error.code !== "STORE_UNREACHABLE") return this.#last(error);
    this.#write().then(
      () => this.#recover(),
      (again: unknown) => isReplaced(again) || this.#last(error),
    );
  }

  #last(error: ChirpwatchError): void {
    const { log, share, notifyDirectly } = this.#deps;
    const open = this.#open;
    if (open === undefined) return;
    if (!open.isLasting)
      log.error("state cannot be written, polling stopped", {
        error: open.cause,
        hint: error.hint,
      });
    open.isLasting = true;
    if (!open.isReported && share.isLeading()) {
      open.isReported = true;
      void notifyDirectly(`chirpwatch cannot write its state and stopped polling: ${this.#text}`);
    }
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#deps.clock.after(STORE_RETRY_MS, () => {
      this.#write().then(
        () => this.#recover(),
        () => this.#tryAgain(),
      );
    });
  }

  #recover(): void {
    const { clock, onRecovered } = this.#deps;
    this.#text = undefined;
    if (this.#open !== undefined) this.#open.endedMs = clock.monotonic();
    if (this.#isStopped || this.#open?.isLasting === false) this.#close();
    else this.#cancel = clock.after(STORE_HELD_MS, () => this.#close());
    onRecovered();
  }

  #close(): void {
    const { log, share, notifyDirectly } = this.#deps;
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { cause, sinceMs, endedMs, times, isLasting, isReported } = open;
    if (isLasting) log.info("state can be written again", { times });
    // Whoever led may be gone, before or after it reported the trouble, and had nowhere to write
    // that down: this says it all.
    if (!isReported && !(isLasting && share.isLeading())) return;
    const often = times === 1 ? "" : `, ${times} times`;
    const was = `For ${formatDuration(endedMs - sinceMs)} it could not${often}: ${cause}`;
    void notifyDirectly(
      `chirpwatch can write its state again, and polling goes on where it stopped. ${was}`,
    );
  }
}
