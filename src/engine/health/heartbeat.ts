/** Sends an outside monitor a heartbeat as long as the daemon makes progress: its absence is the alarm. */
import type { Cancel, Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Http } from "../../model/http.ts";
import type { Log } from "../../model/log.ts";

export interface HeartbeatOptions {
  readonly url: string;
  readonly intervalMs: number;
}

/** Beats at once and then every interval while `isAlive`; returns what stops it. */
export function startHeartbeat(
  options: HeartbeatOptions,
  deps: { readonly http: Http; readonly clock: Clock; readonly log: Log; readonly isAlive: () => boolean },
): Cancel {
  let cancel: Cancel | undefined;
  let isStopped = false;
  const beat = () => {
    if (deps.isAlive()) {
      deps.http
        .request({ method: "GET", url: options.url, timeoutMs: Math.min(options.intervalMs, 10_000), maxBytes: 64_000, reach: "any" })
        .catch((error: unknown) => deps.log.warn("heartbeat was not taken", { error: errorText(error) }));
    }
    if (!isStopped) cancel = deps.clock.after(options.intervalMs, beat);
  };
  beat();
  return () => {
    isStopped = true;
    cancel?.();
  };
}
