/**
 * Combines many timelines or keyword searches in one query: decides how they are batched and
 * written, and attributes the results to them. Pure. What the service accepts is not documented:
 * sizes begin at what its clients use, and shrink when it refuses a query.
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

/** A feed that may share a query with others. */
export type MergeMember =
  | { readonly kind: "from"; readonly userId: string; readonly handle: string }
  | { readonly kind: "query"; readonly query: Query };

export interface MergeLimits {
  readonly operators: number;
  readonly characters: number;
}

/**
 * The limits at first: about 22 operators (docs/service.md section 5); the maximum length is
 * unknown, so begin with 450.
 */
export const FIRST_LIMITS: MergeLimits = { operators: 22, characters: 450 };

/** Operators kept free for the bounds and, if retweets are wanted, for `include:nativeretweets`. */
const RESERVED_OPERATORS = 3;
const RESERVED_CHARACTERS =
  " since_time:1234567890 max_id:12345678901234567890 include:nativeretweets".length + 2;
const SHRINK = 0.75;

/** Limits that were learned from refusals. */
export interface LearnedLimits extends MergeLimits {
  /** When the last query was refused; undefined if none was. */
  readonly refusedAtMs?: number;
  /** How often longer queries were refused after a while without refusals. */
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

/** Returns how much of a query members may use. */
export const roomOf = ({ operators, characters }: MergeLimits): MergeLimits => ({
  operators: operators - RESERVED_OPERATORS,
  characters: characters - RESERVED_CHARACTERS,
});

/** Returns how many accounts with handles of average length fit into one query. */
export function handlesPerQuery(limits: MergeLimits): number {
  const { operators, characters } = roomOf(limits);
  return Math.max(1, Math.min(operators, Math.floor(characters / "from:averagehandle OR ".length)));
}

/** Returns how much of a query a member uses. */
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
 * Returns a query such as `(from:a OR from:b)`, to which bounds can be added. Native retweets are
 * part of a timeline, and of a search only if it asks for them.
 */
export function writeMerged(members: readonly MergeMember[]): string {
  const either = `(${members.map(textOf).join(" OR ")})`;
  return members.some(({ kind }) => kind === "from") ? `${either} include:nativeretweets` : either;
}

/**
 * Refusals within this time count as one, because one run asks for less and less until it is
 * answered.
 */
const SAME_REFUSAL_MS = 600_000;
/**
 * How long learned limits are kept. A refusal may have been a temporary error of the service, so
 * longer queries are tried again after this time, and after twice as long the next time.
 */
const DOUBT_AFTER: Backoff = { stepsMs: doubling(3_600_000, 512 * 3_600_000) };

/** Returns smaller limits after a 400 for a query of this size. */
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
 * Returns the limits for `nowMs`: the first ones again, once the learned ones have been kept for
 * their time.
 */
export function growLimits(limits: LearnedLimits, nowMs: number): LearnedLimits {
  const { operators, characters, refusedAtMs = Number.NEGATIVE_INFINITY, refusals = 1 } = limits;
  const isShrunk = operators < FIRST_LIMITS.operators || characters < FIRST_LIMITS.characters;
  const keptMs = backoffAfter(DOUBT_AFTER, refusals);
  return isShrunk && nowMs - refusedAtMs >= keptMs ? { ...limits, ...FIRST_LIMITS } : limits;
}

/**
 * Returns the tree of a query that can share a request. Undefined if its results could not be
 * distinguished from those of others, or if the text is ambiguous: how the service reads `a b OR c`
 * is not documented, and the merged query has our parentheses.
 */
export function mergeableQuery(text: string): Query | undefined {
  const query = parseQuery(text);
  return isPlain(query) && isExplicit(text) ? query : undefined;
}

const PLAIN: ReadonlySet<Query["kind"]> = new Set(["hashtag", "cashtag", "mention", "from", "to"]);
/**
 * Matches a plain word. Signs inside a word may be an operator that only the service knows; so may
 * these words.
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

/** Whether no group of the text mixes OR with adjacent terms. */
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

/** Returns how much of a query's room the members use. */
export const sizeOfBatch = (
  members: readonly MergeMember[],
): { readonly members: number; readonly characters: number } => ({
  members: members.reduce((sum, member) => sum + sizeOf(member).operators, 0),
  characters: members.reduce((sum, member) => sum + sizeOf(member).characters, 0),
});

export interface Attribution {
  /** The tweets of each member, in the order of the members; newest first. */
  readonly byMember: readonly (readonly Tweet[])[];
  /** Tweets that belong to no member: the service understood a query differently than we do. */
  readonly unattributed: readonly Tweet[];
}

/**
 * Attributes every tweet of a merged answer to its members: by author id, or by evaluating their
 * queries.
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
    // If a handle has moved to another account, that account's tweets belong to no member, which is
    // no reason to doubt the queries.
    if (owner === undefined && takers.length === 0 && queries.length > 0) unattributed.push(tweet);
  }
  return { byMember, unattributed };
}
