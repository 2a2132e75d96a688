/**
 * Who listens to whom: whose posts an account answers. Everyone listens to a few accounts at fixed
 * distances, so that both directions are found without a table; the stars are heard by many.
 */
import { hash32, mix } from "../chance/dice.ts";

/** How many accounts everyone listens to, beside the stars. */
const EARS = 12;
const STARS = 5;
/** Only the first accounts answer stars, so that a star's answers are found among their tweets. */
const FANS = 2_000;
/** So many of a fan's answers go to a star, if it has posted. */
const STAR_STRUCK_PERCENT = 14;
/** Others that are tried until one has posted lately. */
const TRIES = 3;

export type Hearing = ReturnType<typeof createHearing>;

/** The listening of one world of `count` accounts. */
export function createHearing(seed: number, count: number) {
  const [earSalt, moodSalt] = [hash32(seed, "ear"), hash32(seed, "hearing")];
  const ears = Array.from({ length: EARS }, (_, ear) =>
    count < 2 ? 0 : 1 + (mix(earSalt, ear) % (count - 1)),
  );
  const moodOf = (author: number, atMs: number): number => mix(moodSalt, author, atMs % 0x7fffffff);

  function inMood(author: number, mood: number, turn: number): number | undefined {
    const isFan = author < FANS && mood % 100 < STAR_STRUCK_PERCENT;
    if (isFan && turn === 0) return (mood >>> 8) % STARS;
    const ear = turn - (isFan ? 1 : 0);
    return ear < TRIES
      ? (author + (ears[((mood >>> 12) + ear) % EARS] as number)) % count
      : undefined;
  }

  /** Whom an author may answer at this moment, the most likely first. */
  function* heardBy(author: number, atMs: number): Generator<number> {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const other = inMood(author, mood, turn);
      if (other === undefined) return;
      if (other !== author && other < count) yield other;
    }
  }

  /** Whether `heardBy` names the other; quicker than looking. */
  function couldHear(author: number, atMs: number, other: number): boolean {
    const mood = moodOf(author, atMs);
    for (let turn = 0; ; turn += 1) {
      const heard = inMood(author, mood, turn);
      if (heard === other) return true;
      if (heard === undefined) return false;
    }
  }

  /** All who may answer an author. */
  function listenersOf(author: number): ReadonlySet<number> {
    const listeners = new Set(ears.map((ear) => (author - ear + count) % count));
    if (author < STARS) for (let fan = 0; fan < Math.min(count, FANS); fan += 1) listeners.add(fan);
    return listeners;
  }

  return { heardBy, couldHear, listenersOf };
}
