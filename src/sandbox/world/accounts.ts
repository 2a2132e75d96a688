/** The named people of the world: the accounts that post, follow and are scored. The nameless crowd that follows them is crowd.ts's. */
import { createDice, pick } from "./dice.ts";
import { BIOS, FIRST_NAMES, LAST_NAMES, PLACES, TOPICS } from "./vocabulary.ts";

export interface Account {
  /** Position in the world; also its user key. */
  readonly index: number;
  readonly id: string;
  /** Handle at birth; the world knows the current one. */
  readonly username: string;
  readonly displayName: string;
  readonly description: string;
  readonly location: string;
  readonly createdMs: number;
  readonly postsPerDay: number;
  /** Followers before the world's first day. */
  readonly followersBefore: number;
  readonly followersPerDay: number;
  readonly followingsBefore: number;
  readonly tweetsBefore: number;
  readonly verified: boolean;
  /** In the service's own database: scores and 7-day lists exist. */
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

/** Names of seed 1 that examples may rely on; they exist and are indexed in every seed. */
const STARS: readonly Star[] = [
  { username: "acme", displayName: "Acme Corp", description: "Tools for teams that ship.", postsPerDay: 9, followers: 18_400, score: 2150 },
  { username: "rival", displayName: "Rival Labs", description: "The other tools.", postsPerDay: 12, followers: 23_100, score: 2480 },
  {
    username: "alice",
    displayName: "Alice Moreau",
    description: "Protocols, gardens, long walks.",
    postsPerDay: 7,
    followers: 5_200,
    score: 1310,
  },
  { username: "bob", displayName: "Bob Okafor", description: "Markets and maps.", postsPerDay: 5, followers: 3_900, score: 980 },
  {
    username: "acme_jobs",
    displayName: "Acme Careers",
    description: "Open roles at Acme Corp.",
    postsPerDay: 4,
    followers: 1_200,
    score: 240,
  },
];

const FIRST_BIRTH_MS = Date.UTC(2009, 2, 1);
const BIRTH_SPAN_MS = 15 * 365 * 86_400_000;
const SNOWFLAKE_EPOCH_MS = 1_288_834_974_657;

/** `count` accounts, the stars first. */
export function createAccounts(seed: number, count: number): Account[] {
  return Array.from({ length: Math.max(count, STARS.length) }, (_, index) => createAccount(seed, index));
}

/** The account at this position: the same for the same seed. */
export function createAccount(seed: number, index: number, username?: string): Account {
  const dice = createDice(seed, "account", index);
  const star = username === undefined ? STARS[index] : undefined;
  const createdMs = FIRST_BIRTH_MS + Math.floor(dice() * BIRTH_SPAN_MS);
  const first = pick(FIRST_NAMES, dice());
  const last = pick(LAST_NAMES, dice());
  const followers = star?.followers ?? Math.floor(10 ** (1.5 + dice() ** 3 * 3.8));
  return {
    index,
    id: userIdAt(createdMs, seed, index),
    username: username ?? star?.username ?? handleOf(first, last, index),
    displayName: star?.displayName ?? `${first} ${last}`,
    description: star?.description ?? pick(BIOS, dice()),
    location: pick(PLACES, dice()),
    createdMs,
    postsPerDay: username === undefined ? (star?.postsPerDay ?? Math.min(60, 0.05 + 0.6 * (1 / (1 - dice() * 0.995) - 1))) : 0,
    followersBefore: username === undefined ? followers : 0,
    followersPerDay: username === undefined ? Math.sqrt(followers) * 0.3 : 0,
    followingsBefore: Math.floor(20 + dice() ** 2 * 900),
    tweetsBefore: Math.floor(200 + dice() ** 2 * 30_000),
    verified: star !== undefined || dice() < 0.25,
    // Those that tests add are indexed, so that both ways of watching see them.
    indexed: star !== undefined || username !== undefined || dice() < 0.6,
    baseScore: star?.score ?? Math.floor(10 + dice() ** 2 * 1_800),
    lang: star === undefined ? pick(["en", "en", "en", "de", "es", "ja", "fr"], dice()) : "en",
    topic: pick(TOPICS, dice()),
    hasPinned: dice() < 0.4,
  };
}

function handleOf(first: string, last: string, index: number): string {
  const plain = (text: string) =>
    text
      .normalize("NFD")
      .replace(/[^A-Za-z]/g, "")
      .toLowerCase();
  return `${plain(first)}_${plain(last).slice(0, 5)}${index}`.slice(0, 15);
}

/** Old accounts have short ids, young ones snowflakes beyond 2^53. */
function userIdAt(createdMs: number, seed: number, index: number): string {
  const salt = createDice(seed, "user-id", index);
  if (createdMs < SNOWFLAKE_EPOCH_MS) return String(10_000_000 + index * 100_003 + Math.floor(salt() * 100_000));
  return ((BigInt(createdMs - SNOWFLAKE_EPOCH_MS) << 22n) | BigInt(Math.floor(salt() * 0x3fffff))).toString();
}
