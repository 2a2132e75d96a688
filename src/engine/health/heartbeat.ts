/**
 * Sends heartbeats to an external monitor while the daemon makes progress. The monitor alerts
 * somebody when they stop.
 */
import type { Cancel } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Http } from "../../model/http.ts";
import type { Ports } from "../../model/ports.ts";
import { repeat } from "./repeat.ts";

export interface HeartbeatOptions {
  readonly url: string;
  readonly intervalMs: number;
}

/**
 * Sends a heartbeat now, and another one after every interval, except while `isAlive` returns
 * false. Returns a function that stops the heartbeats.
 */
export function startHeartbeat(
  { url, intervalMs }: HeartbeatOptions,
  {
    http,
    clock,
    log,
    isAlive,
  }: Pick<Ports, "clock" | "log"> & { readonly http: Http; readonly isAlive: () => boolean },
): Cancel {
  const onError = (error: unknown) =>
    log.warn("the heartbeat was not accepted", { error: errorText(error) });
  // The request is not awaited, so a late answer does not delay the next heartbeat.
  const beat = async (): Promise<void> => {
    if (!isAlive()) return;
    http
      .request({
        method: "GET",
        url,
        timeoutMs: Math.min(intervalMs, 10_000),
        maxBytes: 64_000,
        reach: "any",
      })
      .catch(onError);
  };
  void beat();
  return repeat({ clock, everyMs: intervalMs, work: beat, onError });
}
