/**
 * Decides whose posts an account answers. Everyone answers a few accounts at fixed distances from
 * their position, so that both directions are computed without a table. The first accounts, the
 * stars, are answered by many.
 */
import { hash32, mix } from "../chance/dice.ts";

/** How many accounts everyone listens to, beside the stars. */
const CANDIDATES = 12;
const STARS = 5;
/**
 * Only the first accounts answer stars, so that the answers to a star are found among few accounts.
 */
const FANS = 2_000;
/** The percentage of a fan's answers that go to a star, if the star has posted. */
const TO_STAR_PERCENT = 14;
/** How many other accounts are tried until one has posted lately. */
const TRIES = 3;

export type AnswerCandidates = ReturnType<typeof createAnswerCandidates>;

/** Creates the choices of a world of `count` accounts. */
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

  /** Yields the accounts that an author may answer at this moment, the most likely first. */
  function* candidatesOf(author: number, atMs: number): Generator<number> {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const other = candidateAt(author, mood, turn);
      if (other === undefined) return;
      if (other !== author && other < count) yield other;
    }
  }

  /** Whether `candidatesOf` may yield the other account; faster than reading what it yields. */
  function isCandidate(author: number, atMs: number, other: number): boolean {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const candidate = candidateAt(author, mood, turn);
      if (candidate === other) return true;
      if (candidate === undefined) return false;
    }
  }

  /** Returns all accounts that may answer an author. */
  function possibleAnswerersOf(author: number): ReadonlySet<number> {
    const answerers = new Set(distances.map((distance) => (author - distance + count) % count));
    if (author < STARS) for (let fan = 0; fan < Math.min(count, FANS); fan += 1) answerers.add(fan);
    return answerers;
  }

  return { candidatesOf, isCandidate, possibleAnswerersOf };
}
