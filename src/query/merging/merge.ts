/**
 * Combines many timelines or keyword searches into few queries: decides which of them share a
 * query, writes it, and attributes its results to them. Pure. The maximum size of a query that the
 * service accepts is not documented: the limits begin at sizes that other clients use, and shrink
 * when the service refuses a query.
 */
import { type Backoff, doubling, backoffAfter } from "../../model/backoff.ts";
import { compareIds } from "../../model/id.ts";
import type { Tweet } from "../../model/tweet.ts";
import { evaluateQuery } from "../evaluate.ts";
import { lexQuery } from "../lex.ts";
import { parseQuery } from "../parse.ts";
import { printQuery } from "../print.ts";
import type { Query } from "../query.ts";
import { tokensOf } from "../words.ts";

/** A timeline (`from`) or a search (`query`) that may share a query with others. */
export type MergeMember =
  | { readonly kind: "from"; readonly userId: string; readonly handle: string }
  | { readonly kind: "query"; readonly query: Query };

export interface MergeLimits {
  readonly operators: number;
  readonly characters: number;
}

/**
 * The limits before anything is learned. docs/service.md section 5 reports about 22 operators; the
 * maximum length is unknown, so 450 characters is a cautious guess.
 */
export const FIRST_LIMITS: MergeLimits = { operators: 22, characters: 450 };

/**
 * The operators kept free for two bounds and, if a timeline needs it, for `include:nativeretweets`.
 */
const RESERVED_OPERATORS = 3;
const RESERVED_CHARACTERS =
  " since_time:1234567890 max_id:12345678901234567890 include:nativeretweets".length + 2;
const SHRINK = 0.75;

/** The limits that are currently used, which refused queries may have lowered. */
export interface LearnedLimits extends MergeLimits {
  /** When the last query was refused; undefined if none was. */
  readonly refusedAtMs?: number;
  /**
   * How many times queries were refused. Refusals within `SAME_REFUSAL_MS` of each other count as
   * one.
   */
  readonly refusals?: number;
}

/**
 * Splits members, in their order, into groups that fit into one query each. A member that is too
 * long for any query becomes a group of its own.
 */
export function batchMembers<M>(
  members: readonly M[],
  memberOf: (member: M) => MergeMember,
  limits: MergeLimits,
): readonly (readonly M[])[] {
  const batches: M[][] = [];
  let room: MergeLimits = { operators: 0, characters: 0 };
  for (const member of members) {
    const size = sizeOf(memberOf(member));
    const last = batches.at(-1);
    if (
      last === undefined ||
      size.operators > room.operators ||
      size.characters > room.characters
    ) {
      batches.push([member]);
      room = roomOf(limits);
    } else last.push(member);
    room = {
      operators: room.operators - size.operators,
      characters: room.characters - size.characters,
    };
  }
  return batches;
}

/** Returns the operators and characters of a query that its members may use. */
export const roomOf = ({ operators, characters }: MergeLimits): MergeLimits => ({
  operators: operators - RESERVED_OPERATORS,
  characters: characters - RESERVED_CHARACTERS,
});

/** Returns how many accounts with handles of average length fit into one query. */
export function handlesPerQuery(limits: MergeLimits): number {
  const { operators, characters } = roomOf(limits);
  return Math.max(1, Math.min(operators, Math.floor(characters / "from:averagehandle OR ".length)));
}

/** Returns the operators and characters that a member uses in a query. */
const sizeOf = (member: MergeMember): MergeLimits => ({
  operators: member.kind === "from" ? 1 : leavesOf(member.query),
  characters: textOf(member).length + " OR ".length,
});

const leavesOf = (query: Query): number => {
  if (query.kind === "and" || query.kind === "or")
    return query.of.reduce((sum, part) => sum + leavesOf(part), 0);
  return query.kind === "not" ? leavesOf(query.of) : 1;
};

const textOf = (member: MergeMember): string =>
  member.kind === "from" ? `from:${member.handle}` : printQuery(member.query);

/**
 * Returns a query such as `(from:a OR from:b)`, to which bounds can be added. Retweets are
 * requested if a timeline takes part, because they belong to it; a search that wants retweets asks
 * for them itself.
 */
export function writeMerged(members: readonly MergeMember[]): string {
  const either = `(${members.map(textOf).join(" OR ")})`;
  return members.some(({ kind }) => kind === "from") ? `${either} include:nativeretweets` : either;
}

/**
 * Refusals that follow each other within this time count as one, because a poll repeats a refused
 * query with fewer and fewer members until it is answered.
 */
const SAME_REFUSAL_MS = 600_000;
/**
 * How long lowered limits are kept, in growing steps. A refusal may have been a temporary error of
 * the service, so longer queries are tried again after this time. Each time they are refused again,
 * the next wait is twice as long.
 */
const DOUBT_AFTER: Backoff = { stepsMs: doubling(3_600_000, 512 * 3_600_000) };

/** Returns smaller limits after the service answered a query of this size with HTTP status 400. */
export function shrinkLimits(
  limits: LearnedLimits,
  refused: { readonly members: number; readonly characters: number },
  nowMs: number,
): LearnedLimits {
  const { refusedAtMs = Number.NEGATIVE_INFINITY, refusals = 0 } = limits;
  return {
    operators: Math.max(
      RESERVED_OPERATORS + 1,
      Math.min(limits.operators, Math.floor(refused.members * SHRINK) + RESERVED_OPERATORS),
    ),
    characters: Math.max(100, Math.min(limits.characters, Math.floor(refused.characters * SHRINK))),
    refusedAtMs: nowMs,
    refusals: nowMs - refusedAtMs > SAME_REFUSAL_MS ? refusals + 1 : refusals,
  };
}

/**
 * Returns the limits to use at `nowMs`: `FIRST_LIMITS` if lowered limits have been kept long
 * enough, otherwise the given ones.
 */
export function growLimits(limits: LearnedLimits, nowMs: number): LearnedLimits {
  const { operators, characters, refusedAtMs = Number.NEGATIVE_INFINITY, refusals = 1 } = limits;
  const isShrunk = operators < FIRST_LIMITS.operators || characters < FIRST_LIMITS.characters;
  const keptMs = backoffAfter(DOUBT_AFTER, refusals);
  return isShrunk && nowMs - refusedAtMs >= keptMs ? { ...limits, ...FIRST_LIMITS } : limits;
}

/**
 * Parses a query that may be merged with others. Returns undefined if its results could not be
 * distinguished from those of other queries, or if the text is ambiguous: how the service reads
 * `a b OR c` is not documented, and the merged query gets parentheses of our own.
 */
export function mergeableQuery(text: string): Query | undefined {
  const query = parseQuery(text);
  return isPlain(query) && isExplicit(text) ? query : undefined;
}

const PLAIN: ReadonlySet<Query["kind"]> = new Set(["hashtag", "cashtag", "mention", "from", "to"]);
/**
 * Matches a word without punctuation, except `and`, `or` and `not`. Queries with other words are
 * not merged, because such words may be operators that only the service knows.
 */
const PLAIN_WORD = /^(?!(?:and|or|not)$)[\p{L}\p{N}\p{M}_]+$/iu;

function isPlain(query: Query): boolean {
  if (query.kind === "and")
    return (
      query.of.every((part) => (part.kind === "not" ? isPlainLeaf(part.of) : isPlain(part))) &&
      query.of.some(isPlain)
    );
  if (query.kind === "or") return query.of.every(isPlain);
  if (query.kind === "word") return PLAIN_WORD.test(query.text);
  if (query.kind === "phrase") return tokensOf(query.text).length > 0;
  return PLAIN.has(query.kind);
}

const isPlainLeaf = (query: Query): boolean =>
  query.kind !== "and" && query.kind !== "or" && isPlain(query);

/** Whether the text never mixes OR and adjacent terms within one pair of parentheses. */
function isExplicit(text: string): boolean {
  const levels = [{ hasOr: false, hasAnd: false, isAfterTerm: false }];
  for (const { kind } of lexQuery(text)) {
    const level = levels.at(-1);
    if (level === undefined) return false;
    if (kind === "or") {
      level.hasOr = true;
      level.isAfterTerm = false;
    } else if (kind === "close") levels.pop();
    else if (kind === "minus" && level.isAfterTerm) {
      level.hasAnd = true;
      level.isAfterTerm = false;
    } else if (kind === "open" || kind === "term" || kind === "phrase") {
      if (level.isAfterTerm) level.hasAnd = true;
      level.isAfterTerm = true;
      if (kind === "open") levels.push({ hasOr: false, hasAnd: false, isAfterTerm: false });
    }
    if (level.hasOr && level.hasAnd) return false;
  }
  return true;
}

/** Returns the operators (as `members`) and characters that the members use together in a query. */
export const sizeOfBatch = (
  members: readonly MergeMember[],
): { readonly members: number; readonly characters: number } => ({
  members: members.reduce((sum, member) => sum + sizeOf(member).operators, 0),
  characters: members.reduce((sum, member) => sum + sizeOf(member).characters, 0),
});

export interface Attribution {
  /** The tweets of each member, newest first; the members in their given order. */
  readonly byMember: readonly (readonly Tweet[])[];
  /**
   * Tweets that match no member's query, because the service understands a query differently than
   * `evaluateQuery` does.
   */
  readonly unattributed: readonly Tweet[];
}

/**
 * Attributes each tweet of a merged answer to every member that it belongs to: to a timeline by the
 * author's id, to a search by evaluating its query.
 */
export function attributeTweets(
  tweets: readonly Tweet[],
  members: readonly MergeMember[],
  nowMs: number,
): Attribution {
  const newestFirst = [...tweets].sort((a, b) => compareIds(b.id, a.id));
  const owners = new Map<string, number>();
  for (const [index, member] of members.entries())
    if (member.kind === "from") owners.set(member.userId, index);
  const queries = [...members.entries()].flatMap(([index, member]) =>
    member.kind === "query" ? [{ index, query: member.query }] : [],
  );
  const byMember: Tweet[][] = members.map(() => []);
  const unattributed: Tweet[] = [];
  for (const tweet of newestFirst) {
    const owner = owners.get(tweet.user.id);
    const takers = queries
      .filter(({ query }) => evaluateQuery(query, tweet, { nowMs }))
      .map(({ index }) => index);
    for (const index of owner === undefined ? takers : [owner, ...takers])
      byMember[index]?.push(tweet);
    // A handle may now belong to another account. The tweets of that account belong to no timeline,
    // which says nothing about the queries.
    if (owner === undefined && takers.length === 0 && queries.length > 0) unattributed.push(tweet);
  }
  return { byMember, unattributed };
}
