/** How long before its period a backtest begins, so that what happened before is known to it. */
import type { Config } from "../../config/config.ts";
import type { Route, Shaping } from "../../route/route.ts";
import { sinkTypeOf } from "../alerts/create-sink.ts";

const DAY_MS = 86_400_000;
const MAX_DIGEST_MS = 7 * DAY_MS;

/** Returns the longest window of a configuration. */
export function warmUpMs({ sinks, route, watches }: Config): number {
  const windows = sinks.flatMap((sink) => [
    // Chats are alerted once a day on a fact.
    sinkTypeOf(sink).chat ? DAY_MS : 0,
    sink.throttle?.intervalMs ?? 0,
    ...windowsOf(sink),
  ]);
  // A recheck reports what became of a post that was found up to so long before.
  const rechecks = watches.map(({ recheck }) => recheck?.untilMs ?? 0);
  return Math.max(0, ...windows, ...rechecks, ...(route === undefined ? [] : windowsIn(route)));
}

const windowsIn = (route: Route): readonly number[] => [
  route.groupWaitMs,
  route.groupIntervalMs,
  route.throttle?.intervalMs ?? 0,
  ...windowsOf(route),
  ...route.routes.flatMap(windowsIn),
];

const windowsOf = ({ dedupe, digest }: Shaping): readonly number[] => [
  dedupe === undefined || dedupe === false ? 0 : dedupe.windowMs,
  digest === undefined || digest === false ? 0 : digestMs(digest.nextAtMs(0), digest.nextAtMs),
];

/** Returns the time between two digests, at most a week. */
const digestMs = (firstMs: number, nextAtMs: (atMs: number) => number): number =>
  Math.min(MAX_DIGEST_MS, nextAtMs(firstMs) - firstMs);
