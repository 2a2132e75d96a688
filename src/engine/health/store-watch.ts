/** What happens when the state cannot be written: nothing is polled that could not be stored, the disk is tried again, the operator is notified. */
import type { StoreWatch } from "../../model/store-health.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { Upkeep } from "../../model/store.ts";

export const STORE_RETRY_MS = 5_000;

export interface StoreWatchDeps {
  readonly store: Pick<Upkeep, "proveWritable">;
  readonly clock: Clock;
  readonly log: Log;
  /** The store cannot hold a notice now: this goes to a sink without it. Never rejects. */
  readonly notifyDirectly: (text: string) => Promise<void>;
  readonly onRecovered: () => void;
}

const isStoreError = (error: unknown): error is ChirpwatchError => error instanceof ChirpwatchError && error.code.startsWith("STORE_");

export function createStoreWatch(deps: StoreWatchDeps): StoreWatch {
  let trouble: string | undefined;
  let cancel: Cancel | undefined;
  let isStopped = false;

  const tryAgain = () => {
    if (isStopped) return;
    cancel = deps.clock.after(STORE_RETRY_MS, () => {
      deps.store.proveWritable(deps.clock.now()).then(recover, tryAgain);
    });
  };

  const recover = () => {
    trouble = undefined;
    deps.log.info("state can be written again");
    void deps.notifyDirectly("chirpwatch can write its state again; polling goes on where it stopped.");
    deps.onRecovered();
  };

  return {
    get trouble() {
      return trouble;
    },
    takeError(error) {
      if (!isStoreError(error)) return false;
      // A lock held by a backup passes by itself; the poll is tried again.
      if (error.code === "STORE_BUSY" || trouble !== undefined) return true;
      // Others do its work by now, and this process ends.
      if (error.code === "STORE_REPLACED") return true;
      trouble = errorText(error);
      deps.log.error("state cannot be written, polling stopped", { error: trouble, hint: error.hint });
      void deps.notifyDirectly(`chirpwatch cannot write its state and stopped polling: ${trouble}`);
      tryAgain();
      return true;
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
