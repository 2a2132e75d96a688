/** Builds a throttle. */
import { parseDuration } from "../../model/duration.ts";
import type { Throttle } from "../../route/route.ts";
import { DEFAULTS } from "../defaults.ts";

interface Written {
  readonly limit: number;
  readonly interval: number;
  readonly on_exceed: Throttle["onExceed"];
  readonly digest_interval?: number | undefined;
}

/** Builds it so that digests never come later than the limit would allow the next message. */
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
