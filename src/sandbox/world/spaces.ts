/**
 * Live audio rooms (Spaces). They are announced, go live and end, and their listeners come and go.
 * A new one begins every few hours for as long as the world exists.
 */
import type { JsonObject } from "../../model/json.ts";
import { diceFrom, hash32, mix } from "./chance/dice.ts";
import { TOPICS } from "./chance/vocabulary.ts";

export interface SpaceRecord {
  readonly id: string;
  readonly title: string;
  /** The user key of the host. */
  readonly host: number;
  readonly createdMs: number;
  readonly startsMs: number;
  readonly endsMs: number;
  /** The largest number of live listeners. */
  readonly mostListeners: number;
  /** The number of live listeners that was set by hand; absent if the number is computed. */
  readonly listeners?: number;
  /** The Space as the service once showed it; only set for a recorded Space. */
  readonly shown?: JsonObject;
}

export interface SpaceOptions {
  readonly seed: number;
  readonly startMs: number;
  /** The number of accounts that the world had at its start. */
  readonly count: number;
}

const MINUTE_MS = 60_000;
/**
 * When the first Spaces begin, in minutes after the start of the world. At the start, one is over,
 * one is live, one begins soon and one later.
 */
const BEGINNINGS = [-900, -20, 10, 240] as const;
/** The average time between the beginnings of the other Spaces. */
const EVERY_MINUTES = 170;
const ANNOUNCED_MINUTES = 120;
const HOSTS = 25;
const ALPHABET = "123456789ABDEGKLMNOPQRVWXYZabdegjklmnopqrvwxyz";
const NUMBER_DIGITS = 4;
const ID_LENGTH = 13;

/** Creates the Spaces of one world. */
export function createSpaces({ seed, startMs, count }: SpaceOptions) {
  const salt = hash32(seed, "space");
  const changed = new Map<string, SpaceRecord>();

  function createdSpace(number: number): SpaceRecord {
    const dice = diceFrom(mix(salt, number));
    const first = BEGINNINGS[number];
    const minutes =
      first ?? 240 + (number - BEGINNINGS.length + 1) * EVERY_MINUTES + Math.floor(dice() * 60);
    const startsMs = startMs + minutes * MINUTE_MS;
    const lastsMinutes = first === undefined ? 40 + Math.floor(dice() * 110) : 90;
    return {
      id: idOf(number),
      title: `Talking about ${TOPICS[mix(salt, number, 1) % TOPICS.length]}`,
      host:
        (first === undefined ? Math.floor(dice() * Math.min(count, HOSTS)) : 1 + (number % 3)) %
        Math.max(1, count),
      createdMs:
        (first === undefined ? startsMs : Math.min(startMs, startsMs)) -
        ANNOUNCED_MINUTES * MINUTE_MS,
      startsMs,
      endsMs: startsMs + lastsMinutes * MINUTE_MS,
      mostListeners: 10 + Math.floor(10 ** (1 + dice() * 2)),
    };
  }

  /**
   * Returns the id of the Space with this number. The id contains characters that depend on the
   * seed, so that ids of other worlds are unknown, and the number in the characters of `ALPHABET`.
   */
  function idOf(number: number): string {
    const digits = Array.from(
      { length: NUMBER_DIGITS },
      (_, i) => ALPHABET[Math.floor(number / ALPHABET.length ** i) % ALPHABET.length],
    );
    const seal = Array.from(
      { length: ID_LENGTH - 1 - NUMBER_DIGITS },
      (_, i) => ALPHABET[mix(salt, number, 2, i) % ALPHABET.length],
    );
    return `1${seal.join("")}${digits.join("")}`;
  }

  function numberIn(id: string): number {
    const digits = Array.from({ length: NUMBER_DIGITS }, (_, i) =>
      ALPHABET.indexOf(id.charAt(ID_LENGTH - NUMBER_DIGITS + i)),
    );
    return digits.every((digit) => digit >= 0)
      ? digits.reduce((sum, digit, i) => sum + digit * ALPHABET.length ** i, 0)
      : -1;
  }

  /** Returns the Space with this id; undefined if there is none, or if it is not announced yet. */
  function find(id: string, nowMs: number): SpaceRecord | undefined {
    const known = changed.get(id);
    if (known !== undefined) return known;
    if (count === 0 || id.length !== ID_LENGTH) return undefined;
    const number = numberIn(id);
    if (number < 0 || idOf(number) !== id) return undefined;
    const space = createdSpace(number);
    return space.createdMs <= nowMs ? space : undefined;
  }

  /**
   * Returns the announced Spaces, the newest first: at most `most` generated ones, and all that
   * were added or changed by hand.
   */
  function latest(nowMs: number, most: number): readonly SpaceRecord[] {
    const last =
      count === 0
        ? -1
        : BEGINNINGS.length +
          Math.max(0, Math.ceil((nowMs - startMs) / (EVERY_MINUTES * MINUTE_MS)) + 1);
    const own: SpaceRecord[] = [];
    for (let number = last; number >= 0 && own.length < most; number -= 1) {
      const space = changed.get(idOf(number)) ?? createdSpace(number);
      if (space.createdMs <= nowMs) own.push(space);
    }
    const ids = new Set(own.map((space) => space.id));
    return [...[...changed.values()].filter((space) => !ids.has(space.id)), ...own];
  }

  /** Adds a Space that was made by hand or recorded. A Space with the same id is replaced. */
  const put = (space: SpaceRecord): void => void changed.set(space.id, space);

  /** Returns an id that no Space has. */
  const freshId = (): string => idOf(ALPHABET.length ** NUMBER_DIGITS - 1 - changed.size);

  return { find, latest, put, freshId };
}

/**
 * Returns the state of a Space. The service does not document its names for the states, so these
 * are the sandbox's own.
 */
export const spaceState = (space: SpaceRecord, nowMs: number): string =>
  nowMs < space.startsMs ? "NotStarted" : nowMs < space.endsMs ? "Running" : "Ended";

/**
 * Returns how many users listen: the number rises after the beginning and falls towards the end. 0
 * if the Space is not live.
 */
export function liveListeners(space: SpaceRecord, nowMs: number): number {
  if (spaceState(space, nowMs) !== "Running") return 0;
  if (space.listeners !== undefined) return space.listeners;
  const passed = (nowMs - space.startsMs) / (space.endsMs - space.startsMs);
  const wobble = mix(hash32(space.id), Math.floor(nowMs / MINUTE_MS)) % 5;
  return Math.floor(space.mostListeners * Math.min(1, passed * 6, (1 - passed) * 4)) + wobble;
}
