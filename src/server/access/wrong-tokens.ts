/**
 * Counts requests with a wrong token and logs at most one line a minute, with their number and the
 * addresses that sent them. No address is ever blocked.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";

export interface WrongTokens {
  add(address: string, log: Log): void;
  /** Logs the requests that were counted since the last line, and stops. */
  stop(): void;
}

const LINE_EVERY_MS = 60_000;
const MAX_ADDRESSES = 10;

export function createWrongTokens(clock: Clock): WrongTokens {
  let [count, addresses] = [0, new Set<string>()];
  let waiting: { readonly cancel: Cancel; readonly report: () => void } | undefined;
  const arm = (log: Log) => {
    const report = () => {
      waiting = undefined;
      if (count > 0)
        log.warn("the server received wrong tokens", {
          count,
          from: [...addresses].join(", "),
        });
      [count, addresses] = [0, new Set()];
    };
    return { report, cancel: clock.after(LINE_EVERY_MS, report) };
  };
  return {
    add(address, log) {
      count += 1;
      if (addresses.size < MAX_ADDRESSES) addresses.add(address);
      waiting ??= arm(log);
    },
    stop() {
      waiting?.cancel();
      waiting?.report();
    },
  };
}
