/** Live audio rooms and trends: small corners of the world that depend on little but the hour. */
import { hash32, unit } from "./dice.ts";
import { TOPICS } from "./vocabulary.ts";

export interface SpaceRecord {
  readonly id: string;
  readonly title: string;
  readonly host: number;
  readonly createdMs: number;
  readonly startsMs: number;
  readonly endsMs: number;
}

const MINUTE_MS = 60_000;
/** Minutes from the start of the world to each Space's beginning: one over, one on air, one to come, one later. */
const BEGINNINGS = [-900, -20, 10, 240] as const;
const ALPHABET = "123456789ABDEGKLMNOPQRVWXYZabdegjklmnopqrvwxyz";

/** The Spaces of a world, oldest first. */
export function createSpaces(seed: number, startMs: number): readonly SpaceRecord[] {
  return BEGINNINGS.map((minutes, index) => {
    const startsMs = startMs + minutes * MINUTE_MS;
    return {
      id: spaceId(seed, index),
      title: `Talking about ${TOPICS[hash32(seed, "space-topic", index) % TOPICS.length]}`,
      host: 1 + (index % 3),
      createdMs: Math.min(startMs, startsMs) - 120 * MINUTE_MS,
      startsMs,
      endsMs: startsMs + 90 * MINUTE_MS,
    };
  });
}

const spaceId = (seed: number, index: number): string =>
  `1${Array.from({ length: 12 }, (_, i) => ALPHABET[hash32(seed, "space", index, i) % ALPHABET.length]).join("")}`;

/** State names are not documented; these are the sandbox's. */
export const spaceState = (space: SpaceRecord, nowMs: number): string =>
  nowMs < space.startsMs ? "NotStarted" : nowMs < space.endsMs ? "Running" : "Ended";

/** Places that have trends: the world and a few of its cities and countries. */
export const WOEIDS: readonly number[] = [1, 638242, 44418, 2459115, 1118370, 23424977, 23424829];
const TRENDS = 12;

/** What is talked about in a place this hour, the loudest first; the order changes from hour to hour. */
export function trendsAt(seed: number, woeid: number, hour: number): readonly string[] {
  const loudness = (topic: string): number =>
    0.6 * unit(seed, "trend-day", woeid, Math.floor(hour / 24), topic) + 0.4 * unit(seed, "trend", woeid, hour, topic);
  return TOPICS.toSorted((a, b) => loudness(b) - loudness(a)).slice(0, TRENDS);
}
