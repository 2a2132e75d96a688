/**
 * The crowd: a million users without a timeline, who exist so that accounts have followers. A user
 * of the crowd is computed from the seed and a number. Numbers, ids and handles can be computed
 * from each other without a table.
 */
import { hash32, pick, unit } from "../chance/dice.ts";
import { FIRST_NAMES, LAST_NAMES } from "../chance/vocabulary.ts";

/** The first user key of the crowd. Keys below it are accounts of the world. */
export const CROWD_FROM = 10_000_000;
export const CROWD_SIZE = 1_000_000;
const ID_BASE = 1_400_000_000_000_000_000n;

export interface CrowdPerson {
  readonly key: number;
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly followersCount: number;
  readonly indexed: boolean;
  readonly createdMs: number;
}

const idOf = (seed: number, number: number): string =>
  (
    ID_BASE +
    (BigInt(number) << 22n) +
    BigInt(hash32(seed, "crowd-id", number) & 0x3fffff)
  ).toString();

const handleOf = (seed: number, number: number): string => {
  const name = pick(FIRST_NAMES, unit(seed, "crowd-name", number))
    .normalize("NFD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();
  return `${name}_${number.toString(36)}`;
};

export function crowdPerson(seed: number, key: number): CrowdPerson {
  const number = key - CROWD_FROM;
  return {
    key,
    id: idOf(seed, number),
    username: handleOf(seed, number),
    displayName: `${pick(FIRST_NAMES, unit(seed, "crowd-name", number))} ${pick(LAST_NAMES, unit(seed, "crowd-last", number))}`,
    followersCount: Math.floor(10 ** (1 + unit(seed, "crowd-reach", number) ** 8 * 4.6)),
    indexed: unit(seed, "crowd-indexed", number) < 0.5,
    createdMs:
      Date.UTC(2012, 0, 1) + Math.floor(unit(seed, "crowd-born", number) * 12 * 365 * 86_400_000),
  };
}

/** Returns the user key for an id of the crowd; undefined if no user of the crowd has this id. */
export function crowdKeyOfId(seed: number, id: string): number | undefined {
  const number = Number((BigInt(id) - ID_BASE) >> 22n);
  return number >= 0 && number < CROWD_SIZE && idOf(seed, number) === id
    ? CROWD_FROM + number
    : undefined;
}

export function crowdKeyOfHandle(seed: number, handle: string): number | undefined {
  const number = Number.parseInt(/_([0-9a-z]{1,4})$/.exec(handle.toLowerCase())?.[1] ?? "", 36);
  return number < CROWD_SIZE && handleOf(seed, number) === handle.toLowerCase()
    ? CROWD_FROM + number
    : undefined;
}

const STEP = 611_953;
const SHIFT = 7_919;
const STEP_BACK = inverse(STEP, CROWD_SIZE);

/**
 * Returns the user key of the `rank`-th follower of an account. Every rank has a different user.
 */
export const crowdFollower = (account: number, rank: number): number =>
  CROWD_FROM +
  Number((BigInt(rank) * BigInt(STEP) + BigInt(account) * BigInt(SHIFT)) % BigInt(CROWD_SIZE));

/**
 * Returns the rank with which a user of the crowd follows the account, if the account ever has that
 * many followers.
 */
export function crowdRank(account: number, key: number): number {
  const shifted = (BigInt(key - CROWD_FROM) - BigInt(account) * BigInt(SHIFT)) % BigInt(CROWD_SIZE);
  return Number(
    (((shifted + BigInt(CROWD_SIZE)) % BigInt(CROWD_SIZE)) * BigInt(STEP_BACK)) %
      BigInt(CROWD_SIZE),
  );
}

function inverse(value: number, modulus: number): number {
  let [oldR, r, oldS, s] = [value, modulus, 1, 0];
  while (r !== 0) {
    const quotient = Math.floor(oldR / r);
    [oldR, r] = [r, oldR - quotient * r];
    [oldS, s] = [s, oldS - quotient * s];
  }
  return ((oldS % modulus) + modulus) % modulus;
}
