/**
 * The accounts of the world, which post, follow and have scores. An account is computed from the
 * seed and its position. Positions, ids and handles can be computed from each other without a
 * table. crowd.ts has the crowd that follows the accounts.
 */
import { bell, createDice, fraction, hash32, pick } from "../chance/dice.ts";
import { BIOS, FIRST_NAMES, LAST_NAMES, PLACES, TOPICS } from "../chance/vocabulary.ts";

export interface Account {
  /** The position of the account in the world, which is also its user key. */
  readonly index: number;
  readonly id: string;
  /** The account's first handle. `People` knows the present one. */
  readonly username: string;
  readonly displayName: string;
  readonly description: string;
  readonly location: string;
  readonly createdMs: number;
  /** The number of followers before the world's first day. */
  readonly followersBefore: number;
  readonly followersPerDay: number;
  readonly followingsBefore: number;
  readonly tweetsBefore: number;
  readonly verified: boolean;
  /**
   * Whether the service has the account in its own database. Only such accounts have scores and
   * lists of the last 7 days.
   */
  readonly indexed: boolean;
  readonly baseScore: number;
  readonly lang: string;
  readonly topic: string;
  readonly hasPinned: boolean;
}

interface Star {
  readonly username: string;
  readonly displayName: string;
  readonly description: string;
  readonly postsPerDay: number;
  readonly followers: number;
  readonly score: number;
}

/**
 * How many posts accounts write per day. The numbers are log-normally distributed, so that a few
 * accounts write most of the posts.
 */
export interface PostingRates {
  readonly median: number;
  readonly mean: number;
}

/**
 * The usual rates. About half of the accounts then post nothing for two days, as on the real
 * platform.
 */
export const USUAL_RATES: PostingRates = { median: 0.4, mean: 3 };
const MAX_POSTS_PER_DAY = 300;

/**
 * The first accounts of every world. Examples may name them, because they exist and are indexed
 * whatever the seed.
 */
const STARS: readonly Star[] = [
  {
    username: "acme",
    displayName: "Acme Corp",
    description: "Tools for teams that ship.",
    postsPerDay: 9,
    followers: 18_400,
    score: 2150,
  },
  {
    username: "rival",
    displayName: "Rival Labs",
    description: "The other tools.",
    postsPerDay: 12,
    followers: 23_100,
    score: 2480,
  },
  {
    username: "alice",
    displayName: "Alice Moreau",
    description: "Protocols, gardens, long walks.",
    postsPerDay: 7,
    followers: 5_200,
    score: 1310,
  },
  {
    username: "bob",
    displayName: "Bob Okafor",
    description: "Markets and maps.",
    postsPerDay: 5,
    followers: 3_900,
    score: 980,
  },
  {
    username: "acme_jobs",
    displayName: "Acme Careers",
    description: "Open roles at Acme Corp.",
    postsPerDay: 4,
    followers: 1_200,
    score: 240,
  },
];

const FIRST_CREATED_MS = Date.UTC(2009, 2, 1);
const CREATION_SPAN_MS = 15 * 365 * 86_400_000;
const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657;
const OLD_ID_STEP = 100_003;
const OLD_ID_BASE = 10_000_000;
/** The low bits of an id that encode the position. */
const POSITION_BITS = 0x1fffff;

/** The maximum number of accounts in a world. With more, two accounts could have the same id. */
export const MAX_ACCOUNTS = 2_000_000;

/**
 * Returns the number of accounts in a world for which `wanted` accounts are requested. A world
 * includes all stars unless it is empty.
 */
export const worldSize = (wanted: number): number =>
  wanted === 0 ? 0 : Math.max(wanted, STARS.length);

/**
 * Returns the account at this position, which is the same for the same seed. With `username`, it is
 * an account that was added by hand, which posts nothing and has no followers.
 */
export function createAccount(seed: number, index: number, username?: string): Account {
  const dice = createDice(seed, "account", index);
  const star = username === undefined ? STARS[index] : undefined;
  const createdMs = FIRST_CREATED_MS + Math.floor(dice() * CREATION_SPAN_MS);
  const first = pick(FIRST_NAMES, dice());
  const last = pick(LAST_NAMES, dice());
  const followers = star?.followers ?? Math.floor(10 ** (1.5 + dice() ** 3 * 3.8));
  return {
    index,
    id: userIdAt(createdMs, seed, index),
    username: username ?? star?.username ?? handleOf(first, last, index, 0),
    displayName:
      star?.displayName ?? (username === undefined ? `${first} ${last}` : nameFrom(username)),
    description: star?.description ?? pick(BIOS, dice()),
    location: pick(PLACES, dice()),
    createdMs,
    followersBefore: username === undefined ? followers : 0,
    followersPerDay: username === undefined ? Math.sqrt(followers) * 0.3 : 0,
    followingsBefore: Math.floor(20 + dice() ** 2 * 900),
    tweetsBefore: Math.floor(200 + dice() ** 2 * 30_000),
    verified: star !== undefined || dice() < 0.25,
    // Accounts that tests add are indexed, so that the lists of the last 7 days contain them, too.
    indexed: star !== undefined || username !== undefined || dice() < 0.6,
    baseScore: star?.score ?? Math.floor(10 + dice() ** 2 * 1_800),
    lang: star === undefined ? pick(["en", "en", "en", "de", "es", "ja", "fr"], dice()) : "en",
    topic: pick(TOPICS, dice()),
    hasPinned: dice() < 0.4,
  };
}

/**
 * Returns a display name for an account that was added by hand, such as "Maya Builds" for
 * maya_builds.
 */
const nameFrom = (handle: string): string =>
  handle
    .split("_")
    .filter((word) => word !== "")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(" ") || handle;

/**
 * Returns a function that computes the average number of posts per day of the account at a
 * position.
 */
export function createPosting(
  seed: number,
  count: number,
  { median, mean }: PostingRates,
): (index: number) => number {
  const salt = hash32(seed, "posting");
  const spread = Math.sqrt(2 * Math.log(Math.max(1, mean / median)));
  const known = new Float64Array(count).fill(-1);
  return (index) => {
    const before = known[index] as number;
    if (before >= 0) return before;
    const drawn =
      median * Math.exp(spread * bell(fraction(salt, index, 1), fraction(salt, index, 2)));
    return (known[index] = STARS[index]?.postsPerDay ?? Math.min(MAX_POSTS_PER_DAY, drawn));
  };
}

/** The prefixes of the new handles of renamed accounts. */
const PREFIXES = ["its", "real", "the", "hey"] as const;

/**
 * Returns a handle that ends in the account's position, so that the position can be read from the
 * handle. Names never end in a digit.
 */
function handleOf(first: string, last: string, index: number, renames: number): string {
  const plain = (text: string) =>
    text
      .normalize("NFD")
      .replace(/[^A-Za-z]/g, "")
      .toLowerCase();
  const name =
    renames === 0
      ? `${plain(first)}_${plain(last).slice(0, 5)}`
      : `${PREFIXES[renames % PREFIXES.length]}_${plain(first)}`;
  return `${name.slice(0, 15 - String(index).length)}${index}`;
}

/** Returns the handle that an account has after this many renames. */
export function handleAfter(account: Account, renames: number): string {
  if (renames === 0) return account.username;
  const [first = "", last = ""] = account.displayName.split(" ");
  return handleOf(first, last, account.index, renames);
}

/**
 * Returns the position that a handle ends in; undefined if it ends in none. The caller must check
 * that the account at the position really has this handle.
 */
export function positionInHandle(handle: string): number | undefined {
  const star = STARS.findIndex((each) => each.username === handle.toLowerCase());
  if (star >= 0) return star;
  const digits = /[a-z_](0|[1-9]\d{0,6})$/i.exec(handle)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns the id of an account: a short number for an old account, a snowflake beyond 2^53 for a
 * newer one.
 */
function userIdAt(createdMs: number, seed: number, index: number): string {
  const salt = createDice(seed, "user-id", index);
  if (createdMs < SNOWFLAKE_EPOCH_MS)
    return String(OLD_ID_BASE + index * OLD_ID_STEP + Math.floor(salt() * 100_000));
  return (
    (BigInt(createdMs - SNOWFLAKE_EPOCH_MS) << 22n) |
    BigInt((index ^ idMask(seed)) & POSITION_BITS)
  ).toString();
}

const idMask = (seed: number): number => hash32(seed, "user-id-mask");

/**
 * Returns the position that an id encodes. The caller must check that the account at the position
 * really has this id.
 */
export function positionInId(seed: number, id: string): number {
  if (id.length <= 12) return Math.floor((Number(id) - OLD_ID_BASE) / OLD_ID_STEP);
  return (Number(BigInt(id) & BigInt(POSITION_BITS)) ^ idMask(seed)) & POSITION_BITS;
}
