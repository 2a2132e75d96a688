/**
 * Tweets as the service's keyword search shows them, with its own reading of queries. It compares
 * names, handles and texts that no tweet contains, and can be made to behave oddly. The answers
 * depend only on the clock. For tests of merged searches.
 */
import { compareIds, tweetIdAt } from "../../src/model/id.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import {
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamRequest,
} from "../../src/model/upstream.ts";
import { parseQuery } from "../../src/query/parse.ts";
import type { Query } from "../../src/query/query.ts";
import { makeTweet, makeUser } from "./make-event.ts";

export interface SearchPost {
  readonly tweet: Tweet;
  readonly atMs: number;
  readonly visibleAtMs: number;
  readonly deletedAtMs: number;
  /** The words of a linked page. They are searched like the text, but shown nowhere. */
  readonly card: string;
}

export interface SearchPostOptions {
  readonly handle?: string;
  readonly name?: string;
  readonly card?: string;
  readonly lagMs?: number;
  readonly deletedAtMs?: number;
}

export interface SearchWorldOptions {
  readonly longestQuery?: number;
  /** Words whose tweets are hidden from a query that joins several with OR. */
  readonly shyWords?: readonly string[];
}

export interface SearchWorld {
  readonly posts: readonly SearchPost[];
  post(text: string, atMs: number, options?: SearchPostOptions): SearchPost;
  /** Returns whether the service counts a tweet among the results of a query. */
  finds(query: string, post: SearchPost): boolean;
  answer(request: UpstreamRequest, nowMs: number): UpstreamAnswer;
}

const PAGE = 20;
const MAX_OPERATORS = 22;

export function createSearchWorld({
  longestQuery = 450,
  shyWords = [],
}: SearchWorldOptions = {}): SearchWorld {
  const posts: SearchPost[] = [];
  let sequence = 0;

  /** Caches the words of each text, because every text is compared with every query. */
  const spaced = new Map<string, string>();
  const wordsOf = (text: string): string => {
    const known = spaced.get(text);
    if (known !== undefined) return known;
    const words = ` ${text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .join(" ")} `;
    spaced.set(text, words);
    return words;
  };
  const has = (text: string, words: string) => wordsOf(text).includes(wordsOf(words));
  const finds = (query: Query, post: SearchPost): boolean => {
    const { tweet, card } = post;
    const text = tweet.full_text.toLowerCase();
    const isNamed = (sign: string, name: string) => text.split(/\s+/).includes(`${sign}${name}`);
    if (query.kind === "and") return query.of.every((part) => finds(part, post));
    if (query.kind === "or") return query.of.some((part) => finds(part, post));
    if (query.kind === "not") return !finds(query.of, post);
    if (query.kind === "word" || query.kind === "phrase")
      return [text, tweet.user.username, tweet.user.display_name, card].some((part) =>
        has(part, query.text),
      );
    if (query.kind === "hashtag") return isNamed("#", query.text);
    if (query.kind === "cashtag") return isNamed("$", query.text);
    if (query.kind === "mention") return isNamed("@", query.text);
    if (query.kind === "from") return tweet.user.username.toLowerCase() === query.handle;
    return query.kind === "since_time" ? post.atMs >= query.count * 1_000 : false;
  };
  const leavesOf = (query: Query): readonly Query[] =>
    query.kind === "and" || query.kind === "or"
      ? query.of.flatMap(leavesOf)
      : query.kind === "not"
        ? leavesOf(query.of)
        : [query];

  return {
    posts,
    post(
      text,
      atMs,
      {
        handle = "someone",
        name = "Some One",
        card = "",
        lagMs = 0,
        deletedAtMs = Number.POSITIVE_INFINITY,
      } = {},
    ) {
      sequence = (sequence + 1) % 4_194_304;
      const id = (BigInt(tweetIdAt(atMs)) + BigInt(sequence)).toString();
      const user = { ...makeUser(`9${handle.length}`, handle), display_name: name };
      const tweet = { ...makeTweet(id, text), created_at: new Date(atMs).toISOString(), user };
      const post = { tweet, atMs, visibleAtMs: atMs + lagMs, deletedAtMs, card };
      const older = posts.findIndex((other) => compareIds(other.tweet.id, id) < 0);
      posts.splice(older < 0 ? posts.length : older, 0, post);
      return post;
    },
    finds: (query, post) => finds(parseQuery(query), post),
    answer({ params, cursor }, nowMs) {
      const text = typeof params["query"] === "string" ? params["query"] : "";
      const query = parseQuery(text);
      const leaves = leavesOf(query).filter(({ kind }) => kind !== "since_time");
      if (text.length > longestQuery || leaves.length > MAX_OPERATORS)
        throw new UpstreamError("bad_request", "query is too long", 400);
      const isJoined = query.kind === "or" || (query.kind === "and" && query.of[0]?.kind === "or");
      const isShy = ({ tweet }: SearchPost) =>
        isJoined && shyWords.some((word) => has(tweet.full_text, word));
      const found = posts.filter(
        (post) =>
          post.visibleAtMs <= nowMs &&
          nowMs < post.deletedAtMs &&
          (cursor === undefined || compareIds(post.tweet.id, cursor.slice(1)) < 0) &&
          !isShy(post) &&
          finds(query, post),
      );
      const page = found.slice(0, PAGE).map(({ tweet }) => tweet);
      return {
        tweets: page,
        ...(found.length > PAGE ? { nextCursor: `c${page.at(-1)?.id ?? ""}` } : {}),
      };
    },
  };
}
