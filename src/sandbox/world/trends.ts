/**
 * The trends of each place. Topics rise, stay for some hours and fade, at different times in each
 * place.
 */
import type { JsonObject } from "../../model/json.ts";
import { fraction, hash32 } from "./chance/dice.ts";
import { TOPICS } from "./chance/vocabulary.ts";

/** The places that have trends: the whole world, and a few cities and countries. */
const WOEIDS: readonly number[] = [1, 638242, 44418, 2459115, 1118370, 23424977, 23424829];
const SHOWN = 12;
const STEP_MS = 3_600_000;
/** The time in which every topic peaks once. */
const ROUND_MS = 20 * 3_600_000;
const RISE_MS = 3 * 3_600_000;

export interface Trend extends JsonObject {
  readonly name: string;
  readonly query: string;
  readonly url: string;
}

/** Creates the trends of one world. */
export function createTrends(seed: number, isEmptyWorld: boolean) {
  const salt = hash32(seed, "trend");
  const recorded = new Map<number, readonly Trend[]>();

  /**
   * Returns how popular a topic is in a place: a constant part, plus a wave that peaks once in
   * every `ROUND_MS`.
   */
  function loudness(woeid: number, topic: number, atMs: number): number {
    const round = Math.floor(atMs / ROUND_MS);
    let loudest = 0;
    for (const each of [round - 1, round, round + 1]) {
      const peakMs = (each + fraction(salt, woeid, topic, each)) * ROUND_MS;
      const height = 0.4 + 0.6 * fraction(salt + 1, woeid, topic, each);
      loudest = Math.max(loudest, height * Math.exp(-(((atMs - peakMs) / RISE_MS) ** 2)));
    }
    return loudest + 0.2 * fraction(salt + 2, woeid, topic);
  }

  /**
   * Returns the trends of a place, the most popular one first; undefined if the place has no
   * trends. The generated order changes every hour.
   */
  function at(woeid: number, nowMs: number): readonly Trend[] | undefined {
    const seen = recorded.get(woeid);
    if (seen !== undefined) return seen;
    if (isEmptyWorld || !WOEIDS.includes(woeid)) return undefined;
    const stepMs = Math.floor(nowMs / STEP_MS) * STEP_MS;
    const ranked = TOPICS.map((name, topic) => ({
      name,
      loudness: loudness(woeid, topic, stepMs),
    })).sort((a, b) => b.loudness - a.loudness);
    return ranked.slice(0, SHOWN).map(({ name }) => trendOf(name));
  }

  return {
    at,
    places: (): readonly number[] => [
      ...new Set([...(isEmptyWorld ? [] : WOEIDS), ...recorded.keys()]),
    ],
    /**
     * Sets the trends of a place, by hand or from a record. Undefined restores the generated ones.
     */
    set(woeid: number, trends: readonly Trend[] | undefined): void {
      if (trends === undefined) recorded.delete(woeid);
      else recorded.set(woeid, trends);
    },
    trendOf,
  };
}

const trendOf = (name: string): Trend => ({
  name,
  query: `"${name}"`,
  url: `https://social.example/search?q=${encodeURIComponent(`"${name}"`)}`,
});
