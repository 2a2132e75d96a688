/**
 * Simulates some hours of plain searches with one schedule: what is posted, how oddly the service
 * searches, what goes wrong, and what the oracle objects to.
 */
import { sleep } from "../../src/model/clock.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import { type Upstream, UpstreamError } from "../../src/model/upstream.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSearchWorld, type SearchWorld } from "../support/search-world.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export interface SearchScenario {
  readonly seed: number;
  readonly way: "auto" | "merge" | "single";
  readonly isFresh?: boolean;
  readonly queries: readonly string[];
  readonly longestQuery: number;
  readonly skewMin: number;
  readonly shyWords: readonly string[];
  readonly posts: readonly {
    readonly words: readonly string[];
    /** The part of the post or its author in which the words stand. */
    readonly place: "text" | "name" | "handle" | "card";
    readonly atMin: number;
    readonly count: number;
    readonly overSec: number;
    readonly lagSec: number;
    /** The post is deleted after this many minutes; 0: never. */
    readonly deletedAfterMin: number;
  }[];
  readonly faults: readonly {
    readonly atMin: number;
    readonly forSec: number;
    readonly kind: "500" | "429" | "400" | "empty";
  }[];
  readonly crashes: readonly {
    readonly atMin: number;
    readonly steps: number;
    readonly downMin: number;
  }[];
}

export interface SearchResult {
  /** What the oracle objects to; empty if all is well. */
  readonly objections: readonly string[];
  readonly events: number;
  readonly requests: number;
  readonly merged: number;
}

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const BUSY_MIN = 120;
const FULL_POLL_MIN = 40;

export async function simulateSearches(scenario: SearchScenario): Promise<SearchResult> {
  const clock = createVirtualClock(START);
  const skewMs = scenario.skewMin * MIN;
  const served = () => clock.now() + skewMs;
  const world = placePosts(scenario, START + skewMs);
  const latency = createSeededRandom(scenario.seed + 5);
  let [calls, merged] = [0, 0];
  const upstream: Upstream = {
    async call(request) {
      calls += 1;
      if (JSON.stringify(request.params).includes(" OR ")) merged += 1;
      await sleep(clock, 20 + latency.float() * 200);
      const minute = (clock.now() - START) / MIN;
      const fault = scenario.faults.find(
        ({ atMin, forSec }) => minute >= atMin && minute < atMin + forSec / 60,
      );
      if (fault?.kind === "500") throw new UpstreamError("transient", "500", 500);
      if (fault?.kind === "429") throw new UpstreamError("rate_limited", "429", 429);
      if (fault?.kind === "400" && JSON.stringify(request.params).includes(" OR "))
        throw new UpstreamError("bad_request", "400", 400);
      const serviceTimeMs = Math.floor(served() / 1_000) * 1_000;
      return fault?.kind === "empty"
        ? { tweets: [], serviceTimeMs }
        : { ...world.answer(request, served()), serviceTimeMs };
    },
  };
  const watches = scenario.queries.map((query) =>
    makeWatch(
      query,
      "search",
      { query },
      {
        schedule: { kind: "every", intervalMs: 2 * MIN },
        ...(scenario.isFresh === true
          ? { freshness: { kind: "mean", meanMs: MIN, maxMs: 6 * MIN } as const }
          : {}),
        maxAgeMs: 7 * 86_400_000,
        fullPollEveryMs: FULL_POLL_MIN * MIN,
        ...(scenario.way === "auto" ? {} : { strategy: scenario.way }),
      },
    ),
  );
  const rig = await startEngineHarness({ clock, upstream, watches, seed: scenario.seed });
  try {
    for (const { atMin, steps, downMin } of [...scenario.crashes].sort(
      (a, b) => a.atMin - b.atMin,
    )) {
      await clock.advanceTo(START + atMin * MIN);
      rig.killSwitch.killAfter(steps);
      await clock.advance(Math.max(downMin * MIN, 500));
      await rig.crash();
    }
    // The time includes the last late-arrival rescan and the last verification read.
    await clock.advanceTo(START + (BUSY_MIN + 3 * FULL_POLL_MIN) * MIN);
    const events = await rig.events();
    const { total } = await rig.store.spentSince(0);
    const objections = [
      ...objectToEvents(world, scenario, events, START + skewMs),
      ...(total >= calls && total <= calls + 64 * scenario.crashes.length
        ? []
        : [`ledger says ${total}, the service ${calls}`]),
      ...rig.logged
        .filter(({ level }) => level === "error")
        .map(
          ({ message, fields }) =>
            `logged: ${message} ${String((fields as { error?: unknown })?.error)}`,
        ),
      ...rig.opsAlerts.filter(({ type }) => type === "watch.gap").map(({ message }) => message),
    ];
    return { objections, events: events.length, requests: calls, merged };
  } finally {
    await rig.close();
  }
}

function placePosts(
  { posts, longestQuery, shyWords, queries, seed }: SearchScenario,
  startMs: number,
): SearchWorld {
  const world = createSearchWorld({ longestQuery, shyWords });
  for (const [index, query] of queries.entries())
    for (let hour = 1; hour <= 1 + ((seed + index) % 25); hour += 1)
      world.post(query, startMs - hour * 60 * MIN);
  for (const { words, place, atMin, count, overSec, lagSec, deletedAfterMin } of posts) {
    for (let i = 0; i < count; i += 1) {
      const atMs = startMs + atMin * MIN + 1_000 + Math.floor((i * overSec * 1_000) / count);
      const said = words.join(" ");
      const where =
        place === "text"
          ? {}
          : place === "name"
            ? { name: said }
            : place === "handle"
              ? { handle: words[0] ?? "" }
              : { card: said };
      const deleted = deletedAfterMin === 0 ? {} : { deletedAtMs: atMs + deletedAfterMin * MIN };
      world.post(place === "text" ? said : "about other things", atMs, {
        ...where,
        lagMs: lagSec * 1_000,
        ...deleted,
      });
    }
  }
  return world;
}

function objectToEvents(
  world: SearchWorld,
  { queries, faults }: SearchScenario,
  events: readonly ChirpEvent[],
  bornMs: number,
): string[] {
  const told = new Map<string, number>();
  for (const { watch, subject } of events)
    told.set(`${watch} ${subject}`, (told.get(`${watch} ${subject}`) ?? 0) + 1);
  const objections: string[] = [];
  const minutes = (ms: number) => `${((ms - bornMs) / MIN).toFixed(1)} min`;
  for (const query of queries) {
    for (const post of world.posts) {
      const key = `${query} ${post.tweet.id}`;
      const times = told.get(key) ?? 0;
      told.delete(key);
      const isFound = world.finds(query, post);
      const say = (text: string) =>
        objections.push(
          `${text}: ${query}, posted ${minutes(post.atMs)}, visible ${minutes(post.visibleAtMs)}, ${post.tweet.id}`,
        );
      const isNews = post.atMs > bornMs + 1_000;
      if (times > 1) say(`told ${times} times`);
      if (times > 0 && !isFound) say("told to a search that does not find it");
      // An empty first answer set no baseline watermark.
      if (!isNews && times > 0 && faults.length === 0) say("baseline was told");
      if (isNews && isFound && post.deletedAtMs === Number.POSITIVE_INFINITY && times === 0)
        say("missed");
    }
  }
  for (const key of told.keys()) objections.push(`told ${key}, which nobody posted`);
  return objections.length > 8
    ? [...objections.slice(0, 8), `and ${objections.length - 8} more`]
    : objections;
}
