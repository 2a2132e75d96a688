/**
 * The two worlds a cell can run against, with what is true in them: the seeded workload, which is cheap, and the bundled sandbox, which
 * is the whole service with its own bill, renames, suspensions, deletions and hours of the day.
 */
import { sleep } from "../../src/model/clock.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { createPosting, USUAL_RATES } from "../../src/sandbox/world/accounts.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import type { VirtualClock } from "../../test/support/virtual-clock.ts";
import { createWorkload } from "./workload.ts";

export type WorldKind = "workload" | "sandbox";

export interface TruePost {
  readonly id: string;
  readonly atMs: number;
  /** Whether it has to be told: not where its account was out of sight in between, or it was taken back before anyone had to look. */
  readonly isOwed: boolean;
}

export interface CellWorld {
  readonly upstream: Upstream;
  readonly userIds: readonly string[];
  /** Posts a day of each account. */
  readonly rates: readonly number[];
  /** Of the accounts, since the start. */
  posts(): readonly TruePost[];
  /** Billed requests, as the service counts them. */
  billed(): number;
}

export interface CellWorldOptions {
  readonly seed: number;
  readonly accounts: number;
  readonly clock: VirtualClock;
  readonly days: number;
  /** A post that is taken back sooner may be missed. */
  readonly longestWaitMs: number;
}

const LATENCY_MS = 60;
const HOUR_MS = 3_600_000;
/** Some accounts of the sandbox cannot be seen. */
const SPARE = 1.2;

export const openWorld = (kind: WorldKind, options: CellWorldOptions): CellWorld =>
  kind === "workload" ? openWorkload(options) : openSandbox(options);

function openWorkload({ seed, accounts, clock, days }: CellWorldOptions): CellWorld {
  const startMs = clock.now();
  const { world, rates } = createWorkload({ seed, accounts, startMs, days });
  let calls = 0;
  return {
    upstream: {
      async call(request) {
        calls += 1;
        await sleep(clock, LATENCY_MS);
        return { ...world.answer(request, clock.now()), serviceTimeMs: Math.floor(clock.now() / 1_000) * 1_000 };
      },
    },
    userIds: world.accounts.map(({ id }) => id),
    rates,
    posts: () => world.accounts.flatMap(({ posts }) => posts.map(({ id, atMs }) => ({ id, atMs, isOwed: atMs > startMs + 1_000 }))),
    billed: () => calls,
  };
}

function openSandbox({ seed, accounts, clock, longestWaitMs }: CellWorldOptions): CellWorld {
  const startMs = clock.now();
  const count = Math.ceil(accounts * SPARE) + 20;
  const service = createSandboxService(clock, { seed, accounts: count, quota: 100_000_000, latencyMs: LATENCY_MS });
  const { world } = service;
  const keys = [...world.people.keys()].filter(world.people.isReadable).slice(0, accounts);
  const rateOf = createPosting(seed, count, USUAL_RATES);
  return {
    upstream: service.upstream,
    userIds: keys.map((key) => world.people.idOf(key)),
    rates: keys.map(rateOf),
    posts() {
      const nowMs = clock.now();
      const hours = Array.from({ length: Math.ceil((nowMs - startMs) / HOUR_MS) }, (_, hour) => world.at(startMs + hour * HOUR_MS).people);
      return keys.flatMap((key) => {
        const isAlwaysSeen = hours.every((people) => people.isReadable(key));
        return [...world.tweets.scanBy([key], nowMs, undefined, startMs)].map(({ id, atMs, visibleMs, deletedMs = Infinity }) => ({
          id,
          atMs,
          isOwed: isAlwaysSeen && visibleMs > startMs + 1_000 && deletedMs - atMs > longestWaitMs,
        }));
      });
    },
    billed: () => service.billed().total,
  };
}
