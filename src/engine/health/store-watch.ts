/** What happens when the state cannot be written: nothing is polled that could not be stored, the disk is tried again, the operator is notified. */
import type { StoreWatch } from "../../model/store-health.ts";
import type { Cancel } from "../../model/clock.ts";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import { formatDuration } from "../../model/duration.ts";
import type { Ports } from "../../model/ports.ts";
import type { Share } from "../../model/replicas.ts";
import type { Upkeep } from "../../model/store.ts";

export const STORE_RETRY_MS = 5_000;

export interface StoreWatchDeps extends Pick<Ports, "clock" | "log"> {
  readonly store: Pick<Upkeep, "proveWritable" | "proveUnlocked">;
  readonly share: Pick<Share, "isLeading">;
  /** The store cannot hold a notice now: this goes to a sink without it, from the replica that leads, or led last. Never rejects. */
  readonly notifyDirectly: (text: string) => Promise<void>;
  readonly onRecovered: () => void;
}

const isStoreError = (error: unknown): error is ChirpwatchError => error instanceof ChirpwatchError && error.code.startsWith("STORE_");

const isReplaced = (error: unknown): boolean => isStoreError(error) && error.code === "STORE_REPLACED";

export const createStoreWatch = (deps: StoreWatchDeps): StoreWatch => new WatchedStore(deps);

class WatchedStore implements StoreWatch {
  readonly #deps: StoreWatchDeps;
  /** `text`: with its cure. */
  #trouble: { readonly text: string; readonly cause: string; readonly sinceMs: number } | undefined;
  /** It did not pass at once. */
  #isLasting = false;
  #isReported = false;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  get trouble(): string | undefined {
    return this.#trouble?.text;
  }

  async prove(): Promise<string | undefined> {
    if (this.#trouble !== undefined) return this.#trouble.text;
    try {
      await this.#write();
      return undefined;
    } catch (error) {
      this.takeError(error);
      return errorText(error);
    }
  }

  async proveUnlocked(): Promise<void> {
    if (this.#trouble === undefined) await this.#deps.store.proveUnlocked().catch((error: unknown) => this.takeError(error));
  }

  takeError(error: unknown): boolean {
    if (!isStoreError(error)) return false;
    // Others do the work of one that is replaced by now, and this process ends.
    if (this.#trouble !== undefined || isReplaced(error)) return true;
    // A lock that passed meanwhile is no trouble: the poll is tried again. Where it lasts, this says so with another code.
    if (error.code === "STORE_BUSY") void this.prove();
    else this.#begin(error);
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #write(): Promise<void> {
    const { store, clock } = this.#deps;
    return store.proveWritable(clock.now());
  }

  #begin(error: ChirpwatchError): void {
    const { clock, log } = this.#deps;
    const cause = errorText(error);
    const text = [cause, error.hint].filter((sentence) => sentence !== "").join(" ");
    this.#trouble = { text, cause, sinceMs: clock.monotonic() };
    log.error("state cannot be written, polling stopped", { error: cause, hint: error.hint });
    // A connection that was cut on its way is back at once, or the replica is replaced: nobody has to hear of either.
    if (error.code !== "STORE_UNREACHABLE") return this.#report(text);
    this.#write().then(
      () => this.#recover(),
      (again: unknown) => isReplaced(again) || this.#report(text),
    );
  }

  #report(text: string): void {
    const { share, notifyDirectly } = this.#deps;
    this.#isLasting = true;
    this.#isReported = share.isLeading();
    if (this.#isReported) void notifyDirectly(`chirpwatch cannot write its state and stopped polling: ${text}`);
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
    const { clock, log, share, notifyDirectly, onRecovered } = this.#deps;
    const { cause = "", sinceMs = clock.monotonic() } = this.#trouble ?? {};
    const was = `For ${formatDuration(clock.monotonic() - sinceMs)} it could not: ${cause}`;
    this.#trouble = undefined;
    log.info("state can be written again");
    // Whoever led may be gone, before or after it reported the trouble, and had nowhere to write that down: this says it all.
    const isMine = this.#isReported || (this.#isLasting && share.isLeading());
    if (isMine) void notifyDirectly(`chirpwatch can write its state again, and polling goes on where it stopped. ${was}`);
    [this.#isLasting, this.#isReported] = [false, false];
    onRecovered();
  }
}
