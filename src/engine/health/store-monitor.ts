/**
 * Handles a state that cannot be written. Polling stops, because results could not be stored;
 * writes are tried again, and the operator is notified. Failures in quick succession count as one
 * trouble, which ends once the state has worked for a while.
 */
import type { StoreMonitor } from "../../model/store-health.ts";
import type { Cancel } from "../../model/clock.ts";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import { formatDuration } from "../../model/duration.ts";
import type { Ports } from "../../model/ports.ts";
import type { Share } from "../../model/replicas.ts";
import type { Upkeep } from "../../model/store.ts";

export const STORE_RETRY_MS = 5_000;
/** A trouble ends when the state has worked for this long. */
export const STORE_HELD_MS = 30_000;

export interface StoreMonitorDeps extends Pick<Ports, "clock" | "log"> {
  readonly store: Pick<Upkeep, "proveWritable" | "proveUnlocked">;
  readonly share: Pick<Share, "isLeading">;
  /**
   * Sends a text directly to a sink, because an ops alert cannot be stored now. Only the replica
   * that leads, or led last, sends it. Never rejects.
   */
  readonly notifyDirectly: (text: string) => Promise<void>;
  readonly onRecovered: () => void;
}

const isStoreError = (error: unknown): error is ChirpwatchError =>
  error instanceof ChirpwatchError && error.code.startsWith("STORE_");

const isReplaced = (error: unknown): boolean =>
  isStoreError(error) && error.code === "STORE_REPLACED";

export const createStoreMonitor = (deps: StoreMonitorDeps): StoreMonitor =>
  new MonitoredStore(deps);

/**
 * A period in which the state cannot be relied on. It lasts from the first failure until the state
 * has worked for `STORE_HELD_MS`.
 */
interface Trouble {
  readonly cause: string;
  readonly sinceMs: number;
  /** When a write first succeeded after the last failure, in monotonic ms; 0 until then. */
  endedMs: number;
  /** The number of failures. */
  times: number;
  /** Whether the first new attempt to write has failed too, so that the trouble is reported. */
  isLasting: boolean;
  isReported: boolean;
}

class MonitoredStore implements StoreMonitor {
  readonly #deps: StoreMonitorDeps;
  /** Why the state cannot be written now, with a hint. */
  #text: string | undefined;
  #open: Trouble | undefined;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(deps: StoreMonitorDeps) {
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
      this.recordError(error);
      return errorText(error);
    }
  }

  async proveUnlocked(): Promise<void> {
    if (this.#text === undefined)
      await this.#deps.store.proveUnlocked().catch((error: unknown) => this.recordError(error));
  }

  recordError(error: unknown): boolean {
    if (!isStoreError(error)) return false;
    // A replica that was replaced reports nothing: others do its work, and this process ends.
    if (this.#text !== undefined || isReplaced(error)) return true;
    // A short lock is no trouble, because the poll is tried again. If the lock lasts, this write
    // fails with another error code.
    if (error.code === "STORE_BUSY") void this.prove();
    else this.#begin(error);
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    // Nothing monitors the state after this, so the end of the trouble is reported without waiting
    // for `STORE_HELD_MS`. A reload may come before the next attempt to write.
    if (this.#text === undefined) this.#close();
    else
      this.#write()
        .then(() => this.#recover())
        .catch(() => undefined);
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
    // A lost connection may work again at the next attempt, or this replica may have been replaced.
    // Neither is worth an alert.
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
    // The replica that led during the trouble may be gone, and it could not store whether it
    // reported the trouble. So this message is understood without an earlier one.
    if (!isReported && !(isLasting && share.isLeading())) return;
    const often = times === 1 ? "" : `, ${times} times`;
    const was = `For ${formatDuration(endedMs - sinceMs)} it could not be written${often}: ${cause}`;
    void notifyDirectly(
      `chirpwatch can write its state again, and polling continues where it stopped. ${was}`,
    );
  }
}
