/**
 * Models the rules alone, without engine, state and service: probes by rate x age², and searches of
 * accounts that moved. For sizes whose engine run takes hours, and to estimate a rule before it is
 * built. `npm run bench:economy -- --model 10000x60`
 */
import { FIRST_LIMITS, handlesPerQuery } from "../../src/query/merging/merge.ts";
import {
  batchParts,
  fillersOf,
  floorOf,
  type Part,
} from "../../src/groups/accounts/search-parts.ts";
import { awaitedOf, chooseProbe, waitBeforeProbe } from "../../src/groups/probing/probe-choice.ts";
import { firstPace, learnDelays } from "../../src/groups/accounts/pacing/group-mean.ts";
import {
  expectedRate,
  firstRate,
  learnPosts,
  type RateMemory,
  rateAt,
} from "../../src/plan/rates/rates.ts";
import { createWorkload, DAY_MS } from "./workload.ts";

/** How much further back than its last check a query covers an account. */
const MARGIN_MS = 60_000;
const PAGE = 20;
const TRIED_PER_PLACE = 3;
const START_MS = Date.UTC(2026, 2, 2);

interface Account {
  readonly id: string;
  readonly handle: string;
  readonly timesMs: readonly number[];
  /** Index of the first post that is not yet found. */
  next: number;
  checkedAtMs: number;
  rate: RateMemory;
}

export interface Modelled {
  readonly requestsPerDay: number;
  readonly delayMs: { readonly mean: number; readonly p50: number; readonly p95: number };
  readonly rates: readonly number[];
  /** The value of probes at the end, relative to the first guess. */
  readonly learnedWorth: number;
}

/**
 * Models freshness with a mean, over `days` after half a day of learning. Full polls are left out.
 */
export function modelFreshness(options: {
  seed: number;
  accounts: number;
  meanMs: number;
  maxMs: number;
  days: number;
}): Modelled {
  const { meanMs, maxMs, days } = options;
  const freshness = { kind: "mean", meanMs, maxMs } as const;
  const learnedMs = START_MS + DAY_MS / 2;
  const endMs = learnedMs + days * DAY_MS;
  const { world, rates } = createWorkload({
    seed: options.seed,
    accounts: options.accounts,
    startMs: START_MS,
    days: days + 0.5,
  });
  const accounts = world.accounts.map(({ id, names, posts }): Account => {
    const timesMs = posts.map(({ atMs }) => atMs);
    const next = timesMs.findIndex((atMs) => atMs > START_MS);
    const known = next < 0 ? timesMs.length : next;
    const handle = names[0]?.handle ?? "";
    return {
      id,
      handle,
      timesMs,
      next: known,
      checkedAtMs: START_MS,
      rate: firstRate(timesMs.slice(Math.max(0, known - 20), known), START_MS),
    };
  });
  const waitingAt = (nowMs: number) =>
    accounts.map((one) => ({
      id: one.id,
      one,
      rate: rateAt(one.rate, nowMs),
      ageMs: nowMs - one.checkedAtMs,
    }));
  let pace = firstPace(
    accounts.map(({ rate }) => expectedRate(rate, START_MS)),
    freshness,
    START_MS,
  );
  const firstWorth = pace.worth;
  let requests = 0;
  const delays: number[] = [];

  const read = (one: Account, nowMs: number): readonly number[] => {
    const found: number[] = [];
    for (
      let atMs = one.timesMs[one.next];
      atMs !== undefined && atMs <= nowMs;
      atMs = one.timesMs[one.next]
    ) {
      found.push(atMs);
      one.next += 1;
    }
    one.checkedAtMs = nowMs;
    if (found.length > 0) one.rate = learnPosts(one.rate, found, nowMs);
    const late = found.map((atMs) => nowMs - atMs);
    if (nowMs >= learnedMs) delays.push(...late);
    return late;
  };

  /** Describes an account by its actual posts, found or not, as the service would answer. */
  const partOf = (one: Account, nowMs: number): Part => ({
    member: { kind: "from", userId: one.id, handle: one.handle },
    floorMs: one.checkedAtMs - MARGIN_MS,
    itemsSince: (sinceMs) => {
      let items = 0;
      for (
        let at = one.timesMs.findLastIndex((atMs) => atMs <= nowMs);
        (one.timesMs[at] ?? 0) >= sinceMs;
        at -= 1
      )
        items += 1;
      return items;
    },
  });
  const pagesOf = (batch: readonly Part[]): number => {
    const items = batch.reduce((sum, { itemsSince }) => sum + itemsSince(floorOf(batch)), 0);
    return 1 + Math.floor(items / PAGE);
  };

  for (let nowMs = START_MS; nowMs < endMs; ) {
    const waiting = waitingAt(nowMs);
    const chosen = chooseProbe(waiting, maxMs);
    const waitMs = waitBeforeProbe(chosen, pace.worth, maxMs);
    if (waitMs > 0) {
      nowMs += Math.max(1_000, waitMs);
      continue;
    }
    const moved = chosen.filter(
      ({ one }) => (one.timesMs[one.next] ?? Number.POSITIVE_INFINITY) <= nowMs,
    );
    const batches = batchParts(
      moved.map(({ one }) => partOf(one, nowMs)).sort((a, b) => b.floorMs - a.floorMs),
      FIRST_LIMITS,
    );
    if (nowMs >= learnedMs) requests += 1 + batches.reduce((sum, batch) => sum + pagesOf(batch), 0);
    const isBusy = new Set(chosen.map(({ id }) => id));
    const piggybacked = batches.flatMap((batch) => {
      const floorMs = floorOf(batch);
      const free = waiting.filter(
        ({ id, one }) => !isBusy.has(id) && one.checkedAtMs - MARGIN_MS >= floorMs,
      );
      const tried = Math.max(0, handlesPerQuery(FIRST_LIMITS) - batch.length) * TRIED_PER_PLACE;
      const next = chooseProbe(free, Number.POSITIVE_INFINITY, tried).map((candidate) => ({
        ...partOf(candidate.one, nowMs),
        candidate,
      }));
      const own = fillersOf(batch, next, FIRST_LIMITS).map(({ candidate }) => candidate);
      for (const { id } of own) isBusy.add(id);
      return own;
    });
    const awaited = awaitedOf([...chosen, ...piggybacked]);
    for (const { one } of chosen) one.checkedAtMs = nowMs;
    const delaysMs = [...moved, ...piggybacked].flatMap(({ one }) => read(one, nowMs));
    pace = learnDelays(pace, { awaited, delaysMs }, freshness, nowMs);
  }
  delays.sort((a, b) => a - b);
  const quantile = (share: number) => delays[Math.floor(share * delays.length)] ?? 0;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / Math.max(delays.length, 1);
  return {
    requestsPerDay: requests / days,
    delayMs: { mean, p50: quantile(0.5), p95: quantile(0.95) },
    rates,
    learnedWorth: pace.worth / firstWorth,
  };
}
