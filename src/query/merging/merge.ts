/**
 * Many timelines or keyword searches in one query: how they are batched, written, and attributed
 * again. Pure. What the service takes is not documented: sizes begin at what its clients use and
 * shrink when it refuses one.
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

/** One feed that may share a query with others. */
export type MergeMember =
  | { readonly kind: "from"; readonly userId: string; readonly handle: string }
  | { readonly kind: "query"; readonly query: Query };

export interface MergeLimits {
  readonly operators: number;
  readonly characters: number;
}

/** docs/service.md section 5: about 22 operators; the length is unknown, start at 450. */
export const FIRST_LIMITS: MergeLimits = { operators: 22, characters: 450 };

/** Kept free for the bounds and, where retweets are wanted, `include:nativeretweets`. */
const RESERVED_OPERATORS = 3;
const RESERVED_CHARACTERS =
  " since_time:1234567890 max_id:12345678901234567890 include:nativeretweets".length + 2;
const SHRINK = 0.75;

/** Limits as they were learned from refusals. */
export interface LearnedLimits extends MergeLimits {
  /** The last one; undefined while there was none. */
  readonly refusedAtMs?: number;
  /** How often longer queries were refused, after a while in which none was. */
  readonly refusals?: number;
}

/**
 * Splits members, in their order, into groups that fit into one query each. A member too long for
 * any is a group of its own.
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

/** What members may take of one query. */
export const roomOf = ({ operators, characters }: MergeLimits): MergeLimits => ({
  operators: operators - RESERVED_OPERATORS,
  characters: characters - RESERVED_CHARACTERS,
});

/** How many accounts with handles of average length one query holds. */
export function handlesPerQuery(limits: MergeLimits): number {
  const { operators, characters } = roomOf(limits);
  return Math.max(1, Math.min(operators, Math.floor(characters / "from:averagehandle OR ".length)));
}

/** What a member takes of a query's room. */
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
 * `(from:a OR from:b)`, ready for bounds. Native retweets are part of a timeline, and of a search
 * only where it asks for them.
 */
export function writeMerged(members: readonly MergeMember[]): string {
  const either = `(${members.map(textOf).join(" OR ")})`;
  return members.some(({ kind }) => kind === "from") ? `${either} include:nativeretweets` : either;
}

/** One run asks for less and less until it is answered: that is one refusal. */
const SAME_REFUSAL_MS = 600_000;
/**
 * A refusal may have been the service's trouble of an hour: after that long longer queries are
 * tried again, after twice as long the next time.
 */
const DOUBT_AFTER: Backoff = { stepsMs: doubling(3_600_000, 512 * 3_600_000) };

/** What to send less than, after a 400 to a query of this size. */
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
 * The limits to go by at `nowMs`: the first ones again, once what was learned has been kept for its
 * time.
 */
export function growLimits(limits: LearnedLimits, nowMs: number): LearnedLimits {
  const { operators, characters, refusedAtMs = Number.NEGATIVE_INFINITY, refusals = 1 } = limits;
  const isShrunk = operators < FIRST_LIMITS.operators || characters < FIRST_LIMITS.characters;
  const keptMs = backoffAfter(DOUBT_AFTER, refusals);
  return isShrunk && nowMs - refusedAtMs >= keptMs ? { ...limits, ...FIRST_LIMITS } : limits;
}

/**
 * The tree of a query that can share a request; undefined where an answer could not be
 * distinguished from the others', or where the text leaves open what belongs together: `a b OR c`
 * as the service reads it is not documented, and merged it stands in parentheses of ours.
 */
export function mergeableQuery(text: string): Query | undefined {
  const query = parseQuery(text);
  return isPlain(query) && isExplicit(text) ? query : undefined;
}

const PLAIN: ReadonlySet<Query["kind"]> = new Set(["hashtag", "cashtag", "mention", "from", "to"]);
/** Signs inside a word may be an operator that only the service knows; so may these words. */
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

/** Whether no group of the text has both OR and terms beside each other. */
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

/** What members take of a query's room. */
export const sizeOfBatch = (
  members: readonly MergeMember[],
): { readonly members: number; readonly characters: number } => ({
  members: members.reduce((sum, member) => sum + sizeOf(member).operators, 0),
  characters: members.reduce((sum, member) => sum + sizeOf(member).characters, 0),
});

export interface Attribution {
  /** In the order of the members; newest first. */
  readonly byMember: readonly (readonly Tweet[])[];
  /** Tweets that are nobody's: the service understood a query otherwise than we do. */
  readonly unattributed: readonly Tweet[];
}

/**
 * Gives every tweet of a merged answer to the members it belongs to: by author id, or by what its
 * query says.
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
    // A handle may have gone to another account: its tweets are nobody's, and no reason to doubt
    // the queries.
    if (owner === undefined && takers.length === 0 && queries.length > 0) unattributed.push(tweet);
  }
  return { byMember, unattributed };
}
