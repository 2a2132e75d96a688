/**
 * Live audio rooms (Spaces), which are announced, go live and end; listeners come and go. One
 * begins every few hours, without end.
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
  /** The number of live listeners at its peak. */
  readonly mostListeners: number;
  /** A fixed number of listeners that was set by hand. */
  readonly listeners?: number;
  /** The Space as the service once showed it; only set if it was recorded. */
  readonly shown?: JsonObject;
}

export interface SpaceOptions {
  readonly seed: number;
  readonly startMs: number;
  /** How many accounts the world began with. */
  readonly count: number;
}

const MINUTE_MS = 60_000;
/**
 * When the first Spaces begin, in minutes from the start of the world: one is over, one is live,
 * one begins soon, one later.
 */
const BEGINNINGS = [-900, -20, 10, 240] as const;
/** The distance at which the other Spaces follow. */
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
   * Returns an id: a part that only ids of this world have, then the Space's number, written with
   * the characters of `ALPHABET`.
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

  /** Returns the Space with this id if it is announced. */
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
   * Returns the announced Spaces, the youngest first: at most `most` of the world's own, and all
   * that were changed by hand.
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

  /** Adds a Space by hand or from a record, or replaces the one with the same id. */
  const put = (space: SpaceRecord): void => void changed.set(space.id, space);

  /** Returns an id that no Space has. */
  const freshId = (): string => idOf(ALPHABET.length ** NUMBER_DIGITS - 1 - changed.size);

  return { find, latest, put, freshId };
}

/** Returns the state of a Space. The real names are not documented; these are the sandbox's. */
export const spaceState = (space: SpaceRecord, nowMs: number): string =>
  nowMs < space.startsMs ? "NotStarted" : nowMs < space.endsMs ? "Running" : "Ended";

/**
 * Returns how many people listen: they gather, stay, and leave towards the end. 0 unless the Space
 * is live.
 */
export function liveListeners(space: SpaceRecord, nowMs: number): number {
  if (spaceState(space, nowMs) !== "Running") return 0;
  if (space.listeners !== undefined) return space.listeners;
  const passed = (nowMs - space.startsMs) / (space.endsMs - space.startsMs);
  const wobble = mix(hash32(space.id), Math.floor(nowMs / MINUTE_MS)) % 5;
  return Math.floor(space.mostListeners * Math.min(1, passed * 6, (1 - passed) * 4)) + wobble;
}
