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
  readonly store: Pick<Upkeep, "proveWritable">;
  readonly share: Pick<Share, "isLeading">;
  /** The store cannot hold a notice now: this goes to a sink without it, from the replica that leads, or led last. Never rejects. */
  readonly notifyDirectly: (text: string) => Promise<void>;
  readonly onRecovered: () => void;
}

const isStoreError = (error: unknown): error is ChirpwatchError => error instanceof ChirpwatchError && error.code.startsWith("STORE_");

const isReplaced = (error: unknown): boolean => isStoreError(error) && error.code === "STORE_REPLACED";

export function createStoreWatch(deps: StoreWatchDeps): StoreWatch {
  let trouble: string | undefined;
  let [isLasting, isReported, sinceMs] = [false, false, 0];
  let cancel: Cancel | undefined;
  let isStopped = false;

  const tryAgain = () => {
    if (isStopped) return;
    cancel = deps.clock.after(STORE_RETRY_MS, () => {
      deps.store.proveWritable(deps.clock.now()).then(recover, tryAgain);
    });
  };

  const report = (text: string) => {
    isLasting = true;
    isReported = deps.share.isLeading();
    if (isReported) void deps.notifyDirectly(`chirpwatch cannot write its state and stopped polling: ${text}`);
    tryAgain();
  };

  const recover = () => {
    const was = `For ${formatDuration(deps.clock.monotonic() - sinceMs)} it could not: ${trouble}`;
    trouble = undefined;
    deps.log.info("state can be written again");
    // Whoever led may be gone, before or after it reported the trouble, and had nowhere to write that down: this says it all.
    const isMine = isReported || (isLasting && deps.share.isLeading());
    if (isMine) void deps.notifyDirectly(`chirpwatch can write its state again, and polling goes on where it stopped. ${was}`);
    [isLasting, isReported] = [false, false];
    deps.onRecovered();
  };

  const watch: StoreWatch = {
    get trouble() {
      return trouble;
    },
    async prove() {
      if (trouble === undefined) await deps.store.proveWritable(deps.clock.now()).catch((error: unknown) => watch.takeError(error));
    },
    takeError(error) {
      if (!isStoreError(error)) return false;
      // A lock held by a backup passes by itself; the poll is tried again.
      if (error.code === "STORE_BUSY" || trouble !== undefined) return true;
      // Others do its work by now, and this process ends.
      if (isReplaced(error)) return true;
      const text = errorText(error);
      trouble = text;
      sinceMs = deps.clock.monotonic();
      deps.log.error("state cannot be written, polling stopped", { error: text, hint: error.hint });
      // A connection that was cut on its way is back at once, or the replica is replaced: nobody has to hear of either.
      if (error.code === "STORE_UNREACHABLE")
        deps.store.proveWritable(deps.clock.now()).then(recover, (again) => isReplaced(again) || report(text));
      else report(text);
      return true;
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
  return watch;
}
