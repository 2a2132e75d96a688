/**
 * Simulates some hours of a feed watch: what is posted, what goes wrong, and what an oracle that
 * knows every item objects to.
 */
import type { ChirpEvent } from "../../src/model/event.ts";
import { sleep } from "../../src/model/clock.ts";
import { type Upstream, UpstreamError } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld, isShown, type PlacedTweet } from "../support/feed-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export type FaultKind = "500" | "429" | "mid-page" | "empty" | "html";

export interface FeedScenario {
  readonly seed: number;
  readonly type: "search" | "timeline" | "community_tweets";
  readonly intervalMin: number;
  /**
   * Whether reads are placed by freshness, with that interval on average and twice that at most.
   */
  readonly isFresh?: boolean;
  readonly maxPages: number;
  /** The share of odd pages. */
  readonly odd: number;
  readonly skewMin: number;
  readonly isPinned: boolean;
  /** The number of tweets before the watch began, one a minute. */
  readonly before: number;
  readonly posts: readonly {
    readonly atMin: number;
    readonly count: number;
    readonly overSec: number;
    readonly lagMin: number;
  }[];
  /** Posts of `posts` that are hidden for a while, by index. */
  readonly hides: readonly {
    readonly post: number;
    readonly afterMin: number;
    readonly forMin: number;
  }[];
  readonly faults: readonly {
    readonly atMin: number;
    readonly forSec: number;
    readonly kind: FaultKind;
  }[];
  readonly crashes: readonly {
    readonly atMin: number;
    readonly steps: number;
    readonly downMin: number;
  }[];
  readonly expiriesMin: readonly number[];
}

export interface FeedResult {
  /** What the oracle objects to; empty if all is well. */
  readonly objections: readonly string[];
  readonly items: number;
  readonly events: number;
  readonly requests: number;
}

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const BUSY_MIN = 180;
const OVERLAP_MIN = 15;
const QUIET_POLLS = 12;

const WATCHES: Record<FeedScenario["type"], (changes: WatchChanges) => Watch> = {
  search: (changes) => makeWatch("w", "search", { query: "acme" }, changes),
  timeline: (changes) =>
    makeWatch("w", "timeline", { accounts: ["id:7"] }, { strategy: "single", ...changes }),
  community_tweets: (changes) => makeWatch("w", "community_tweets", { community: "55" }, changes),
};

export async function simulateFeed(scenario: FeedScenario): Promise<FeedResult> {
  const clock = createVirtualClock(START);
  const skewMs = scenario.skewMin * MIN;
  const served = () => clock.now() + skewMs;
  let validFromMs = 0;
  let calls = 0;
  const world = placeTweets(scenario, skewMs, () => validFromMs);
  const latency = createSeededRandom(scenario.seed + 17);

  const upstream: Upstream = {
    async call(request) {
      calls += 1;
      await sleep(clock, 20 + latency.float() * 200);
      const fault = scenario.faults.find(({ atMin, forSec }) =>
        isWithin(clock.now(), START + atMin * MIN, forSec * 1_000),
      );
      if (fault !== undefined) {
        const failure = failureOf(fault.kind, request.cursor !== undefined);
        if (failure !== undefined) throw failure;
        if (fault.kind === "empty") return { tweets: [] };
      }
      return {
        ...world.answer(request, served()),
        serviceTimeMs: Math.floor(served() / 1_000) * 1_000,
      };
    },
  };
  const intervalMs = scenario.intervalMin * MIN;
  const watch = WATCHES[scenario.type]({
    schedule: { kind: "every", intervalMs },
    ...(scenario.isFresh === true
      ? { freshness: { kind: "mean", meanMs: intervalMs / 2, maxMs: 2 * intervalMs } }
      : {}),
    maxPages: scenario.maxPages,
    maxAgeMs: 7 * 86_400_000,
    overlapMs: OVERLAP_MIN * MIN,
    include: { reply: true, quote: true, retweet: true },
  });
  const rig = await startEngineHarness({ clock, upstream, watches: [watch], seed: scenario.seed });
  try {
    for (const step of timed(scenario)) {
      await clock.advanceTo(START + step.atMin * MIN);
      if (step.kind === "expire") validFromMs = served();
      else {
        rig.killSwitch.killAfter(step.steps);
        await clock.advance(Math.max(step.downMin * MIN, 500));
        await rig.crash();
      }
    }
    // A gap takes one poll for each of its pages, with an allowance. The last late-arrival rescan
    // follows.
    const pages = world.placed.length / (scenario.odd === 0 ? 20 : 5) / scenario.maxPages;
    const settleMin =
      2 * OVERLAP_MIN +
      2 * QUIET_POLLS * scenario.intervalMin +
      Math.min(pages, 300) * scenario.intervalMin;
    await clock.advanceTo(START + (BUSY_MIN + settleMin) * MIN);
    const callsBefore = calls;
    const pollsBefore = rig.polled.length;
    await clock.advance(QUIET_POLLS * scenario.intervalMin * MIN);
    const quietCalls = calls - callsBefore;
    const quietPolls = rig.polled.length - pollsBefore;
    const events = await rig.events();
    const { total } = await rig.store.spentSince(0);
    const [out] = await rig.store.outboxStats();
    const objections = [
      ...objectToEvents(world.placed, events, START + skewMs),
      ...(total >= calls && total <= calls + scenario.crashes.length
        ? []
        : [`ledger says ${total}, the service ${calls}`]),
      ...((out?.waiting ?? 0) === events.length
        ? []
        : [`${events.length} events, ${out?.waiting ?? 0} outbox rows`]),
      ...(scenario.odd === 0 && quietCalls > quietPolls
        ? [`${quietPolls} quiet polls cost ${quietCalls} requests`]
        : []),
      ...(quietPolls < (scenario.isFresh === true ? QUIET_POLLS / 2 : QUIET_POLLS) - 2
        ? [`only ${quietPolls} polls in the quiet time`]
        : []),
      ...rig.logged
        .filter(({ level }) => level === "error")
        .map(
          ({ message, fields }) =>
            `logged: ${message} ${String((fields as { error?: unknown })?.error)}`,
        ),
      ...rig.opsAlerts.filter(({ type }) => type === "watch.gap").map(({ message }) => message),
    ];
    return { objections, items: world.placed.length, events: events.length, requests: calls };
  } finally {
    await rig.close();
  }
}

const isWithin = (nowMs: number, fromMs: number, forMs: number): boolean =>
  nowMs >= fromMs && nowMs < fromMs + forMs;

function failureOf(kind: FaultKind, isLaterPage: boolean): UpstreamError | undefined {
  if (kind === "500") return new UpstreamError("transient", "500 Internal Server Error", 500);
  if (kind === "429") return new UpstreamError("rate_limited", "429 Too Many Requests", 429);
  if (kind === "html") return new UpstreamError("transient", "the answer is no JSON", 200);
  if (kind === "mid-page" && isLaterPage) return new UpstreamError("transient", "socket hang up");
  return undefined;
}

function placeTweets(scenario: FeedScenario, skewMs: number, cursorsValidFromMs: () => number) {
  const random = createSeededRandom(scenario.seed);
  const startMs = START + skewMs;
  const old = createFeedWorld({ random });
  const pinned = old.post(startMs - 30 * 86_400_000);
  const world = createFeedWorld({
    random,
    oddPages: scenario.odd,
    cursorsValidFromMs,
    ...(scenario.isPinned ? { pinnedId: pinned.id } : {}),
  });
  world.post(startMs - 30 * 86_400_000);
  for (let i = 0; i < scenario.before; i += 1) world.post(startMs - (i + 1) * MIN);
  const firsts: string[] = [];
  for (const { atMin, count, overSec, lagMin } of scenario.posts) {
    for (let i = 0; i < count; i += 1) {
      const tweet = world.post(
        startMs + atMin * MIN + 1_000 + Math.floor((i * overSec * 1_000) / count),
        lagMin * MIN,
      );
      if (i === 0) firsts.push(tweet.id);
    }
  }
  for (const { post, afterMin, forMin } of scenario.hides) {
    const id = firsts[post % Math.max(firsts.length, 1)];
    const one = world.placed.find(({ tweet }) => tweet.id === id);
    if (one !== undefined)
      world.hide(
        one.tweet.id,
        one.visibleAtMs + afterMin * MIN,
        one.visibleAtMs + (afterMin + forMin) * MIN,
      );
  }
  return world;
}

type Step =
  | { readonly kind: "expire"; readonly atMin: number }
  | {
      readonly kind: "crash";
      readonly atMin: number;
      readonly steps: number;
      readonly downMin: number;
    };

const timed = ({ crashes, expiriesMin }: FeedScenario): readonly Step[] =>
  [
    ...crashes.map((crash): Step => ({ kind: "crash", ...crash })),
    ...expiriesMin.map((atMin): Step => ({ kind: "expire", atMin })),
  ].sort((a, b) => a.atMin - b.atMin);

function objectToEvents(
  placed: readonly PlacedTweet[],
  events: readonly ChirpEvent[],
  bornMs: number,
): string[] {
  const told = new Map<string, number>();
  for (const { subject } of events) told.set(subject, (told.get(subject) ?? 0) + 1);
  const objections: string[] = [];
  const say = (one: PlacedTweet, text: string) =>
    objections.push(
      `${text}: posted ${minutes(one.timeMs - bornMs)}, visible ${minutes(one.visibleAtMs - bornMs)}, ${one.tweet.id}`,
    );
  for (const one of placed) {
    const times = told.get(one.tweet.id) ?? 0;
    told.delete(one.tweet.id);
    if (times > 1) say(one, `told ${times} times`);
    const isNews = one.timeMs > bornMs + 1_000;
    if (!isNews && times > 0 && isShown(one, bornMs + 500)) say(one, "baseline was told");
    if (isNews && times === 0 && one.hidden === undefined) say(one, "missed");
  }
  for (const id of told.keys()) objections.push(`told ${id}, which nobody posted`);
  return objections.length > 8
    ? [...objections.slice(0, 8), `and ${objections.length - 8} more`]
    : objections;
}

const minutes = (ms: number): string => `${(ms / MIN).toFixed(1)} min`;
