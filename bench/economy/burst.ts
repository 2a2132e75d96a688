/**
 * Measures bursts. Of two hundred accounts of the sandbox's own world, some post 195 times together
 * within five ticks of a 12 s schedule. Requests are counted for 100 s from the first post on.
 */
import { startEngineHarness } from "../../test/support/engine-harness.ts";
import { makeWatch } from "../../test/support/make-watch.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";

/**
 * The numbers of accounts that share the posts: three accounts post 65 times each, five post 39
 * times, and so on.
 */
export const AUTHORS = [3, 5, 39, 195] as const;

const START_MS = Date.UTC(2026, 2, 2, 9);
const ACCOUNTS = 200;
/** Some accounts of the sandbox cannot be seen, or share a name. */
const WORLD_ACCOUNTS = 400;
const POSTS = 195;
const INTERVAL_MS = 12_000;
/** Every first read is done within this time. */
const FIRST_READS_MS = 120_000;
const SPREAD_MS = 60_000;
const COUNTED_MS = 100_000;
const MORE_THAN_ENOUGH = 1_000_000;

export interface Burst {
  readonly authors: number;
  readonly requests: number;
  readonly byEndpoint: Readonly<Record<string, number>>;
  /** The number of posts that were reported. */
  readonly found: number;
  readonly meanDelayMs: number;
}

export async function runBurst(authors: number): Promise<Burst> {
  const clock = createVirtualClock(START_MS);
  const service = createSandboxService(clock, {
    seed: 1,
    accounts: WORLD_ACCOUNTS,
    quota: MORE_THAN_ENOUGH,
    latencyMs: 60,
  });
  const { people } = service.world;
  const keys = [...people.keys()].filter((key) => people.isReadable(key) && people.isIndexed(key));
  const names = new Set(keys.map((key) => people.usernameOf(key)));
  const accounts = [...names].slice(0, ACCOUNTS);
  const schedule = { kind: "every", intervalMs: INTERVAL_MS } as const;
  const include = { reply: true, quote: true, retweet: true };
  const watch = makeWatch("w", "timeline", { accounts }, { schedule, include });
  const harness = await startEngineHarness({ clock, upstream: service.upstream, watches: [watch] });
  try {
    await clock.advanceTo(START_MS + FIRST_READS_MS);
    const before = service.billed();
    const postedMs = new Map<string, number>();
    for (let post = 0; post < POSTS; post += 1) {
      const username = accounts[post % authors] ?? "";
      const made = service.control("POST", "tweets", { username, text: `post ${post}` });
      for (const id of made["ids"] as readonly string[]) postedMs.set(id, clock.now());
      await clock.advance(SPREAD_MS / POSTS);
    }
    await clock.advanceTo(START_MS + FIRST_READS_MS + COUNTED_MS);
    const after = service.billed();
    const delaysMs = (await harness.events()).flatMap(({ subject, detectedAtMs }) => {
      const atMs = postedMs.get(subject);
      return atMs === undefined ? [] : [detectedAtMs - atMs];
    });
    return {
      authors,
      requests: after.total - before.total,
      byEndpoint: countedSince(before.byEndpoint, after.byEndpoint),
      found: delaysMs.length,
      meanDelayMs: delaysMs.reduce((sum, ms) => sum + ms, 0) / Math.max(delaysMs.length, 1),
    };
  } finally {
    await harness.close();
  }
}

type Counts = Readonly<Record<string, number>>;

const countedSince = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([endpoint, count]) => [endpoint, count - (before[endpoint] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );

export const burstText = ({ authors, requests, byEndpoint, found, meanDelayMs }: Burst): string => {
  const parts = Object.entries(byEndpoint).map(([endpoint, count]) => `${count} ${endpoint}`);
  const delay = `mean delay ${(meanDelayMs / 1_000).toFixed(1)} s`;
  return `${authors} accounts post: ${requests} requests (${parts.join(", ")}), ${found} found, ${delay}`;
};

/** Prints a line for each number of accounts that post. */
export async function runBursts(): Promise<void> {
  for (const authors of AUTHORS) console.log(burstText(await runBurst(authors)));
}
