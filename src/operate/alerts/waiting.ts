/**
 * Explains in words why alerts wait and until when. Uses what the state knows about each alert and
 * the known facts about its sink.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import { formatDuration } from "../../model/duration.ts";
import type { SinkHealth } from "../../model/outbox.ts";
import type { Wait, WaitCount } from "../../model/waiting.ts";
import type { Route, Throttle } from "../../route/route.ts";
import { throttlesByKey } from "../../route/route-event.ts";
import { placeOfRoute } from "../../route/routed-place.ts";
import type { WaitCountView, WaitView } from "../../server/schema/sink-view.ts";
import { sinkFactsOf } from "./create-sink.ts";

export interface WaitFacts {
  readonly config: Pick<Config, "sinks" | "route">;
  readonly health: readonly SinkHealth[];
  /**
   * Until when each sink asked to receive no messages. These times are kept in memory only, so they
   * are lost at a restart.
   */
  readonly pauses: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/** Explains why an alert waits for a sink. */
export type WaitReader = (sink: string, wait: Wait) => WaitView;

export function createWaitReader(facts: WaitFacts): WaitReader {
  const { config, health, pauses, nowMs } = facts;
  const throttles = throttlesByKey(config.route, sinkFactsOf(config.sinks));
  const open = new Map(
    health.filter(({ breaker }) => breaker === "open").map((one) => [one.sink, one]),
  );
  return (sink, wait) => {
    if (wait.cause !== "queued" && wait.cause !== "threaded" && wait.cause !== "retrying")
      return ownWait(wait, throttles, config.route);
    const failing = open.get(sink);
    if (failing !== undefined && failing.goneFrom !== null)
      return view("sink_failing", null, `the sink is disabled: ${failing.reason}`);
    if (failing !== undefined)
      return view("sink_failing", failing.probeAtMs, `the sink fails: ${failing.reason}`);
    const pausedUntilMs = pauses.get(sink) ?? 0;
    if (pausedUntilMs > nowMs) return view("rate_limited", pausedUntilMs, "the sink asked to wait");
    if (wait.cause === "threaded")
      return view(
        "threaded",
        null,
        "waits for the first message of its thread, which is not sent yet",
      );
    if (wait.cause === "retrying")
      return view("retrying", wait.untilMs, `the last attempt failed: ${wait.about}`);
    return view("queued", null, "next in line");
  };
}

const view = (cause: WaitView["cause"], untilMs: number | null, reason: string): WaitView => ({
  cause,
  until: untilMs === null ? null : isoTime(untilMs),
  reason,
});

function ownWait(
  { cause, untilMs, about }: Wait,
  throttles: ReadonlyMap<string, Throttle>,
  route: Route | undefined,
): WaitView {
  if (cause === "enriching")
    return view("enriching", untilMs, about === "" ? "no answer yet" : `no answer: ${about}`);
  if (cause === "held") return view("held", untilMs, about === "" ? "held" : `held by ${about}`);
  if (cause === "returning")
    return view(
      "digest",
      untilMs,
      "collected for the digest of items from while the watch was away",
    );
  if (cause === "backfilled")
    return view("digest", untilMs, "collected for the digest of a backfill");
  if (cause === "scheduled")
    return view("digest", untilMs, `collected for ${scheduledText(about)}`);
  if (cause === "grouped") return view("grouped", untilMs, groupText(about, route));
  const throttle = throttles.get(about);
  const limit =
    throttle === undefined
      ? ""
      : ` (${throttle.limit} messages in ${formatDuration(throttle.intervalMs)})`;
  return view("throttled", untilMs, `throttled${limit}, collected for a digest`);
}

/** Describes a scheduled digest by its name, such as `sink:brand` or `route:0.1:brand`. */
function scheduledText(name: string): string {
  const [by, path = ""] = (name.split("\n")[0] ?? name).split(":");
  return `the scheduled digest of ${by === "route" ? placeOfRoute(path) : `the sink ${path}`}`;
}

/**
 * Returns a text such as `grouped (group_wait 10s, group_interval 2m)`. The key of a group begins
 * with the path of its route.
 */
function groupText(groupKey: string, route: Route | undefined): string {
  const found =
    route === undefined || !groupKey.startsWith("[")
      ? undefined
      : findRoute(route, String(JSON.parse(groupKey)[0]));
  const times = [
    found === undefined || found.groupWaitMs === 0
      ? ""
      : `group_wait ${formatDuration(found.groupWaitMs)}`,
    found === undefined || found.groupIntervalMs === 0
      ? ""
      : `group_interval ${formatDuration(found.groupIntervalMs)}`,
  ].filter((time) => time !== "");
  return `grouped${times.length === 0 ? "" : ` (${times.join(", ")})`}`;
}

const findRoute = (route: Route, path: string): Route | undefined =>
  route.path === path
    ? route
    : route.routes.map((child) => findRoute(child, path)).find((found) => found !== undefined);

/**
 * Counts the waits of one sink. Waits with the same text are counted together, with the earliest of
 * their end times.
 */
export function countViews(
  sink: string,
  counts: readonly WaitCount[],
  read: WaitReader,
): readonly WaitCountView[] {
  const views = new Map<string, WaitCountView>();
  for (const wait of counts) {
    if (wait.sink !== sink) continue;
    const one = read(sink, wait);
    const key = `${one.cause}\n${one.reason}`;
    const known = views.get(key);
    const until = earlier(known?.until ?? null, one.until);
    views.set(key, { ...one, until, count: (known?.count ?? 0) + wait.count });
  }
  return [...views.values()];
}

const earlier = (a: string | null, b: string | null): string | null =>
  a !== null && (b === null || a < b) ? a : b;
