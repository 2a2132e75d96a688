/**
 * The worlds that a cell can run against, with the facts about them: the seeded workload, which is
 * cheap; the same posts at the same times served by the bundled sandbox, with its paging and its
 * bill; and the sandbox's own world, with renames, suspensions, deletions and a diurnal profile.
 */
import { sleep } from "../../src/model/clock.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { createPosting, USUAL_RATES } from "../../src/sandbox/world/people/accounts.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import type { VirtualClock } from "../../test/support/virtual-clock.ts";
import { createWorkload } from "./workload.ts";

export const WORLD_KINDS = ["workload", "served", "sandbox"] as const;
export type WorldKind = (typeof WORLD_KINDS)[number];

export interface TruePost {
  readonly id: string;
  readonly atMs: number;
  /**
   * Whether the post must be reported. False if its account was out of sight meanwhile, or if the
   * post was deleted before anyone had to ask.
   */
  readonly isExpected: boolean;
  /** Returns how long the post had been visible when it was reported, in ms. */
  readonly waitedMs: (reportedMs: number) => number;
}

export interface CellWorld {
  readonly upstream: Upstream;
  readonly userIds: readonly string[];
  /** Posts a day of each account. */
  readonly rates: readonly number[];
  /** Returns the posts of all accounts since the start. */
  posts(): readonly TruePost[];
  /** Billed requests, as the service counts them. */
  billed(): number;
}

export interface CellWorldOptions {
  readonly seed: number;
  readonly accounts: number;
  readonly clock: VirtualClock;
  readonly days: number;
  /** A post that is deleted sooner than this may be missed. */
  readonly longestWaitMs: number;
}

const LATENCY_MS = 60;
const MORE_THAN_ENOUGH = 100_000_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Some accounts of the sandbox cannot be seen. */
const SPARE = 1.2;

const OPENERS: Readonly<Record<WorldKind, (options: CellWorldOptions) => CellWorld>> = {
  workload: openWorkload,
  served: openServed,
  sandbox: openSandbox,
};

export const openWorld = (kind: WorldKind, options: CellWorldOptions): CellWorld =>
  OPENERS[kind](options);

function openWorkload({ seed, accounts, clock, days }: CellWorldOptions): CellWorld {
  const startMs = clock.now();
  const { world, rates } = createWorkload({ seed, accounts, startMs, days });
  let calls = 0;
  return {
    upstream: {
      async call(request) {
        calls += 1;
        await sleep(clock, LATENCY_MS);
        return {
          ...world.answer(request, clock.now()),
          serviceTimeMs: Math.floor(clock.now() / 1_000) * 1_000,
        };
      },
    },
    userIds: world.accounts.map(({ id }) => id),
    rates,
    posts: () =>
      world.accounts.flatMap(({ posts }) => posts.map((post) => alwaysSeen(post, startMs))),
    billed: () => calls,
  };
}

const alwaysSeen = ({ id, atMs }: Pick<TruePost, "id" | "atMs">, startMs: number): TruePost => ({
  id,
  atMs,
  isExpected: atMs > startMs + 1_000,
  waitedMs: (reportedMs) => reportedMs - atMs,
});

/**
 * Opens a sandbox with only the workload's accounts. Their posts are added when their time comes.
 */
function openServed({ seed, accounts, clock, days }: CellWorldOptions): CellWorld {
  const startMs = clock.now();
  const { world, rates } = createWorkload({ seed, accounts, startMs, days });
  const service = createSandboxService(clock, {
    seed,
    accounts: 0,
    quota: MORE_THAN_ENOUGH,
    latencyMs: LATENCY_MS,
  });
  const { recordUser, tweets } = service.world;
  const coming = world.accounts
    .flatMap((account) => {
      const author = recordUser(world.userOf(account, 0));
      return account.posts.map((post) => ({ author, ...post }));
    })
    .sort((a, b) => a.atMs - b.atMs);
  let [shown, lastPost] = [0, ""];
  const catchUp = (): void => {
    for (
      let post = coming[shown];
      post !== undefined && post.atMs <= clock.now();
      post = coming[++shown]
    ) {
      const { id, author, atMs, visibleAtMs: visibleMs, searchableAtMs: indexedMs } = post;
      const isRetweet = post.isRetweet && lastPost !== "";
      const kind = isRetweet
        ? ({ kind: "retweet", targetId: lastPost } as const)
        : ({ kind: "post" } as const);
      if (!isRetweet) lastPost = id;
      const words = {
        text: `post ${id}`,
        lang: "en",
        conversationId: id,
        media: [],
        likesAtLast: 0,
      };
      tweets.add({ id, author, atMs, visibleMs, indexedMs, ...kind, ...words });
    }
  };
  return {
    upstream: {
      call(request) {
        catchUp();
        return service.upstream.call(request);
      },
    },
    userIds: world.accounts.map(({ id }) => id),
    rates,
    posts: () => coming.map((post) => alwaysSeen(post, startMs)),
    billed: () => service.billed().total,
  };
}

function openSandbox({ seed, accounts, clock, longestWaitMs }: CellWorldOptions): CellWorld {
  const startMs = clock.now();
  const count = Math.ceil(accounts * SPARE) + 20;
  const service = createSandboxService(clock, {
    seed,
    accounts: count,
    quota: MORE_THAN_ENOUGH,
    latencyMs: LATENCY_MS,
  });
  const { world } = service;
  const keys = [...world.people.keys()]
    .filter((key) => world.people.isReadable(key))
    .slice(0, accounts);
  const rateOf = createPosting(seed, count, USUAL_RATES);
  const outOfSightMs = (key: number, fromMs: number, toMs: number): number => {
    let hiddenMs = 0;
    for (let ms = fromMs; ms < toMs; ms += MINUTE_MS)
      if (!world.at(ms).people.isReadable(key)) hiddenMs += Math.min(MINUTE_MS, toMs - ms);
    return hiddenMs;
  };
  return {
    upstream: service.upstream,
    userIds: keys.map((key) => world.people.idOf(key)),
    rates: keys.map(rateOf),
    posts() {
      const nowMs = clock.now();
      const hours = Array.from(
        { length: Math.ceil((nowMs - startMs) / HOUR_MS) },
        (_, hour) => world.at(startMs + hour * HOUR_MS).people,
      );
      return keys.flatMap((key) => {
        const isAlwaysSeen = hours.every((people) => people.isReadable(key));
        return [...world.tweets.scanBy([key], nowMs, undefined, startMs)].map(
          ({ id, atMs, visibleMs, deletedMs = Infinity }) => ({
            id,
            atMs,
            isExpected:
              isAlwaysSeen && visibleMs > startMs + 1_000 && deletedMs - atMs > longestWaitMs,
            waitedMs: (reportedMs) =>
              reportedMs - atMs - (isAlwaysSeen ? 0 : outOfSightMs(key, atMs, reportedMs)),
          }),
        );
      });
    },
    billed: () => service.billed().total,
  };
}
