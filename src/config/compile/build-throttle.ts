/** Builds the throttle of a sink or a route. */
import { parseDuration } from "../../model/duration.ts";
import type { Throttle } from "../../route/route.ts";
import { DEFAULTS } from "../defaults.ts";

interface Written {
  readonly limit: number;
  readonly interval: number;
  readonly on_exceed: Throttle["onExceed"];
  readonly digest_interval?: number | undefined;
}

/** Builds the throttle. By default digests are sent at least once per interval of the limit. */
export const buildThrottle = ({
  limit,
  interval,
  on_exceed,
  digest_interval,
}: Written): Throttle => ({
  limit,
  intervalMs: interval,
  onExceed: on_exceed,
  digestIntervalMs:
    digest_interval ??
    Math.min(parseDuration(DEFAULTS.throttle.digest_interval) ?? interval, interval),
});
