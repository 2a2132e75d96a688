/**
 * Runs one cell of the table: the daemon's own engine on a virtual clock, with a real state file,
 * against a workload.
 */
import type { Freshness } from "../../src/model/schedule.ts";
import type { Upstream, UpstreamRequest } from "../../src/model/upstream.ts";
import { longestWaitMs as longestWait } from "../../src/plan/delay-aims.ts";
import { type EngineHarness, startEngineHarness } from "../../test/support/engine-harness.ts";
import { makeWatch } from "../../test/support/make-watch.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { openWorld, type WorldKind } from "./cell-world.ts";
import { DAY_MS } from "./workload.ts";

export interface Cell {
  readonly world: WorldKind;
  readonly seed: number;
  readonly accounts: number;
  readonly strategy: "auto" | "single";
  readonly intervalMs: number;
  /** Requests per second that the service allows; 20 by default. */
  readonly perSecond?: number;
  readonly freshness?: Freshness;
  /** The interval of full polls. By default the planner chooses it. */
  readonly fullPollEveryMs?: number;
  /** The time in which rates and pace are learned. Its requests do not count. */
  readonly warmUpDays: number;
  readonly days: number;
}

export interface Measured {
  /** Requests before the first day that counts, for first reads and learning. */
  readonly warmUpRequests: number;
  readonly requestsPerDay: number;
  /** The requests per day by their purpose. */
  readonly perDay: Readonly<Record<Purpose, number>>;
  /**
   * Searches that went back to the last full poll, and timelines. These find late and odd items.
   */
  readonly rescansPerDay: number;
  readonly postsPerDay: number;
  /** Intervals of the schedule in which somebody posted. */
  readonly ticksWithNewsPerDay: number;
  readonly requestsPerItem: number;
  readonly delayMs: { readonly mean: number; readonly p50: number; readonly p95: number };
  /**
   * The hours after the counted days until every expected post was reported, or none could be
   * reported any more.
   */
  readonly drainHours: number;
  readonly missed: number;
  readonly double: number;
  readonly rates: readonly number[];
  /** The ledger's count minus the service's. */
  readonly ledgerDrift: number;
}

const START_MS = Date.UTC(2026, 2, 2);
const HOUR_MS = 3_600_000;
/**
 * The time by which every account has had a full poll, whatever its probes showed.
 * `full_poll_every` is less than half of `max_age`, which is a day here.
 */
const LONGEST_DRAIN_MS = 13 * HOUR_MS;
/** A search that reaches back further than this looks for more than what a probe just showed. */
const DEEP_MS = 3_600_000;
const MANY = 10;
/** The longest delay with which the search shows a post, now and then. */
const SEARCH_LAG_MS = 600_000;

/**
 * The purpose of a request. `search`: for accounts that a probe showed to have moved. `page`: a
 * further page of any list.
 */
type Purpose = "probe" | "search" | "page" | "rescan" | "timeline" | "other";

export async function runCell(cell: Cell): Promise<Measured> {
  const days = cell.warmUpDays + cell.days;
  const fromMs = START_MS + cell.warmUpDays * DAY_MS;
  const toMs = START_MS + days * DAY_MS;
  const clock = createVirtualClock(START_MS);
  const longestWaitMs =
    (cell.freshness === undefined ? cell.intervalMs : longestWait(cell.freshness)) + SEARCH_LAG_MS;
  const world = openWorld(cell.world, {
    seed: cell.seed,
    accounts: cell.accounts,
    clock,
    days,
    longestWaitMs,
  });
  const counted: Record<Purpose, number> = {
    probe: 0,
    search: 0,
    page: 0,
    rescan: 0,
    timeline: 0,
    other: 0,
  };
  let [warmUpRequests, rescans] = [0, 0];
  const upstream: Upstream = {
    call(request) {
      const nowMs = clock.now();
      if (nowMs < fromMs) warmUpRequests += 1;
      else if (nowMs < toMs) {
        counted[purposeOf(request, nowMs)] += 1;
        if (isRescan(request, nowMs)) rescans += 1;
      }
      return world.upstream.call(request);
    },
  };
  const accounts = world.userIds.map((id) => `id:${id}`);
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    {
      strategy: cell.strategy,
      schedule: { kind: "every", intervalMs: cell.intervalMs },
      include: { reply: true, quote: true, retweet: true },
      ...(cell.freshness === undefined ? {} : { freshness: cell.freshness }),
      ...(cell.fullPollEveryMs === undefined ? {} : { fullPollEveryMs: cell.fullPollEveryMs }),
    },
  );
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    seed: cell.seed,
    ...(cell.perSecond === undefined ? {} : { perSecond: cell.perSecond }),
  });
  try {
    await clock.advanceTo(toMs + 2 * cell.intervalMs);
    const expected = world.posts().filter(({ atMs, isExpected }) => isExpected && atMs < toMs);
    let reported = await reportTimes(harness);
    const isMissing = () => expected.some(({ id }) => !reported.has(id));
    for (
      ;
      isMissing() && clock.now() < toMs + LONGEST_DRAIN_MS;
      reported = await reportTimes(harness)
    )
      await clock.advance(HOUR_MS);
    const delays: number[] = [];
    const ticksWithNews = new Set<number>();
    for (const { id, atMs, waitedMs } of world.posts()) {
      const times = reported.get(id) ?? [];
      if (atMs < fromMs || atMs >= toMs || times[0] === undefined) continue;
      delays.push(waitedMs(times[0]));
      ticksWithNews.add(Math.floor((atMs - fromMs) / cell.intervalMs));
    }
    const missed = expected.filter(({ id }) => !reported.has(id)).length;
    const double = [...reported.values()].filter((times) => times.length > 1).length;
    delays.sort((a, b) => a - b);
    const total = Object.values(counted).reduce((sum, count) => sum + count, 0);
    const { total: ledger } = await harness.store.spentSince(0);
    const perDay = Object.fromEntries(
      Object.entries(counted).map(([purpose, count]) => [purpose, count / cell.days]),
    ) as typeof counted;
    return {
      warmUpRequests,
      requestsPerDay: total / cell.days,
      perDay,
      rescansPerDay: rescans / cell.days,
      postsPerDay: delays.length / cell.days,
      ticksWithNewsPerDay: ticksWithNews.size / cell.days,
      requestsPerItem: total / Math.max(delays.length, 1),
      delayMs: {
        mean: delays.reduce((sum, delay) => sum + delay, 0) / Math.max(delays.length, 1),
        p50: quantile(delays, 0.5),
        p95: quantile(delays, 0.95),
      },
      drainHours: (clock.now() - toMs) / HOUR_MS,
      missed,
      double,
      rates: world.rates,
      ledgerDrift: ledger - world.billed(),
    };
  } finally {
    await harness.close();
  }
}

/** Returns every time at which each post was reported. */
async function reportTimes(
  harness: EngineHarness,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const reported = new Map<string, number[]>();
  for (const { subject, detectedAtMs } of await harness.events())
    reported.set(subject, [...(reported.get(subject) ?? []), detectedAtMs]);
  return reported;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

function purposeOf(request: UpstreamRequest, nowMs: number): Purpose {
  const { endpoint, cursor } = request;
  if (endpoint === "info-batch") return "probe";
  if (cursor !== undefined) return "page";
  if (endpoint === "user-tweets") return "timeline";
  if (endpoint !== "search-tweets") return "other";
  return isRescan(request, nowMs) ? "rescan" : "search";
}

function isRescan({ endpoint, params }: UpstreamRequest, nowMs: number): boolean {
  if (endpoint === "user-tweets") return true;
  const query = typeof params["query"] === "string" ? params["query"] : "";
  const since = /since_time:(\d+)/.exec(query)?.[1];
  const accounts = query.match(/from:/g)?.length ?? 0;
  return since !== undefined && accounts >= MANY && nowMs - Number(since) * 1_000 > DEEP_MS;
}
