/**
 * Decides whose posts an account can answer. An account answers a few accounts at certain distances
 * from its position, the same distances for all, so that both directions can be computed without a
 * table. The first five accounts, the stars, can be answered by many others.
 */
import { hash32, mix } from "../chance/dice.ts";

/** The number of accounts, apart from the stars, that an account can answer. */
const CANDIDATES = 12;
const STARS = 5;
/**
 * The number of accounts that can answer the stars. It is limited so that the answers to a star are
 * found by checking few accounts.
 */
const FANS = 2_000;
/** The percentage of an account's answers that go to a star, for accounts that can answer stars. */
const TO_STAR_PERCENT = 14;
/** The maximum number of accounts that are tried until one is found that has posted recently. */
const TRIES = 3;

export type AnswerCandidates = ReturnType<typeof createAnswerCandidates>;

/** Creates these choices for a world of `count` accounts. */
export function createAnswerCandidates(seed: number, count: number) {
  const [distanceSalt, moodSalt] = [hash32(seed, "ear"), hash32(seed, "hearing")];
  const distances = Array.from({ length: CANDIDATES }, (_, nth) =>
    count < 2 ? 0 : 1 + (mix(distanceSalt, nth) % (count - 1)),
  );
  const moodOf = (author: number, atMs: number): number => mix(moodSalt, author, atMs % 0x7fffffff);

  function candidateAt(author: number, mood: number, turn: number): number | undefined {
    const isFan = author < FANS && mood % 100 < TO_STAR_PERCENT;
    if (isFan && turn === 0) return (mood >>> 8) % STARS;
    const nth = turn - (isFan ? 1 : 0);
    return nth < TRIES
      ? (author + (distances[((mood >>> 12) + nth) % CANDIDATES] as number)) % count
      : undefined;
  }

  /**
   * Yields the accounts that an author can answer at this time, in the order in which they are
   * tried.
   */
  function* candidatesOf(author: number, atMs: number): Generator<number> {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const other = candidateAt(author, mood, turn);
      if (other === undefined) return;
      if (other !== author && other < count) yield other;
    }
  }

  /**
   * Whether `candidatesOf` can yield the account `other`. This is faster than going through the
   * candidates.
   */
  function isCandidate(author: number, atMs: number, other: number): boolean {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const candidate = candidateAt(author, mood, turn);
      if (candidate === other) return true;
      if (candidate === undefined) return false;
    }
  }

  /** Returns all accounts that can answer an author. */
  function possibleAnswerersOf(author: number): ReadonlySet<number> {
    const answerers = new Set(distances.map((distance) => (author - distance + count) % count));
    if (author < STARS) for (let fan = 0; fan < Math.min(count, FANS); fan += 1) answerers.add(fan);
    return answerers;
  }

  return { candidatesOf, isCandidate, possibleAnswerersOf };
}
