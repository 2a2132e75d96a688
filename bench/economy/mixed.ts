/**
 * Runs a small configuration with all kinds of watches that share requests (timelines, searches,
 * profiles, member lists), against the sandbox's own world.
 */
import { goodConfig } from "../../test/config/load-text.ts";
import { startEngineHarness } from "../../test/support/engine-harness.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { DAY_MS } from "./workload.ts";

const START_MS = Date.UTC(2026, 2, 2);
const WARM_UP_DAYS = 1;
const PEOPLE = 300;
const MORE_THAN_ENOUGH = 10_000_000;

export interface MixedOptions {
  readonly seed: number;
  /** The number of days that count. They follow a day of warm-up. */
  readonly days: number;
}

/** Returns the lines under `watches:`. */
function watchesOf(handles: readonly string[], indexed: readonly string[]): string {
  const names = (from: number, to: number): string => handles.slice(from, to).join(", ");
  const searches = ["acme", "rival", "alice", "launch", "price", "support", "outage", "thanks"];
  return `
  p95: { type: timeline, accounts: [${names(0, 20)}], freshness: 60s }
  mean: { type: timeline, accounts: [${names(20, 50)}], freshness: { mean: 60s, max: 4h } }
  scheduled: { type: timeline, accounts: [${names(50, 90)}], schedule: "@every 1m" }
  profiles: { type: profile, accounts: [${names(90, 110)}], schedule: "@every 5m" }
  followers: { type: new_followers, accounts: [${indexed.slice(0, 10).join(", ")}], source: indexed, schedule: "@every 5m" }
${searches.map((word) => `  s_${word}: { type: search, query: "${word}", schedule: "@every 2m" }`).join("\n")}`;
}

/** Prints one line of JSON: requests a day, and the mean delay of each watch that finds tweets. */
export async function runMixed({ seed, days }: MixedOptions): Promise<void> {
  const clock = createVirtualClock(START_MS);
  const service = createSandboxService(clock, {
    seed,
    accounts: PEOPLE,
    quota: MORE_THAN_ENOUGH,
    latencyMs: 60,
  });
  const { people } = service.world;
  const readable = [...people.keys()].filter((key) => people.isReadable(key)).slice(0, 150);
  const handles = readable.map((key) => people.usernameOf(key));
  const indexed = readable
    .filter((key) => people.isIndexed(key))
    .map((key) => people.usernameOf(key));
  const text = `watches:${watchesOf(handles, indexed)}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`;
  const { watches } = await goodConfig(text);
  const harness = await startEngineHarness({ clock, upstream: service.upstream, watches, seed });
  try {
    const fromMs = START_MS + WARM_UP_DAYS * DAY_MS;
    await clock.advanceTo(fromMs);
    const before = service.billed().total;
    await clock.advanceTo(fromMs + days * DAY_MS);
    const requestsPerDay = (service.billed().total - before) / days;
    const delays = new Map<string, number[]>();
    for (const { watch, occurredAtMs, detectedAtMs, type } of await harness.events()) {
      if (!type.startsWith("tweet") || occurredAtMs < fromMs) continue;
      delays.set(watch, [...(delays.get(watch) ?? []), detectedAtMs - occurredAtMs]);
    }
    const meanOf = (all: readonly number[]): number =>
      all.reduce((sum, one) => sum + one, 0) / all.length / 1_000;
    const means = Object.fromEntries(
      [...delays].map(([id, all]) => [id, { posts: all.length, meanSeconds: meanOf(all) }]),
    );
    console.log(JSON.stringify({ seed, days, requestsPerDay, means }));
  } finally {
    await harness.close();
  }
}
