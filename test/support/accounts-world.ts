/**
 * Accounts as the data service shows them in three ways: profiles with counters, timelines, and a
 * search with its own delay. The answers depend only on the clock. For tests of probes and merged
 * searches, and for benchmarks with ten thousand accounts.
 */
import { type Clock, sleep } from "../../src/model/clock.ts";
import { compareIds, tweetIdAt } from "../../src/model/id.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import {
  type Upstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamRequest,
} from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";
import { makeTweet, makeUser } from "./make-event.ts";

export interface WorldPost {
  readonly id: string;
  readonly atMs: number;
  /** The timeline shows and the counter includes the post from this time on. */
  readonly visibleAtMs: number;
  /** The search finds the post from this time on; infinite: never. */
  readonly searchableAtMs: number;
  readonly deletedAtMs: number;
  readonly isRetweet: boolean;
}

export interface WorldAccount {
  readonly id: string;
  /** The names over time, the newest one last. */
  readonly names: { readonly handle: string; readonly fromMs: number }[];
  /** Posts sorted by time. */
  readonly posts: WorldPost[];
  /**
   * The posts that appear late or are deleted. Only these need a separate step when the counter is
   * computed.
   */
  readonly oddPosts: WorldPost[];
  readonly postsBefore: number;
  /** Whether the search shows nothing of the account. */
  isHidden: boolean;
  /** Whether the counters of the account never change. */
  isFrozen: boolean;
  /** Spans in which nobody can see the account. */
  readonly gone: { readonly fromMs: number; readonly untilMs: number }[];
  /** Spans in which the counter is wrong by a fixed number. */
  readonly flaps: { readonly fromMs: number; readonly untilMs: number; readonly by: number }[];
}

export interface PostOptions {
  readonly visibleLagMs?: number;
  readonly searchLagMs?: number;
  readonly deletedAtMs?: number;
  readonly isRetweet?: boolean;
}

export interface AccountsWorld {
  readonly accounts: readonly WorldAccount[];
  add(
    handle: string,
    changes?: { readonly isHidden?: boolean; readonly isFrozen?: boolean },
  ): WorldAccount;
  post(account: WorldAccount, atMs: number, options?: PostOptions): WorldPost;
  /** Deletes the post at this index of an account's posts. */
  delete(account: WorldAccount, index: number, atMs: number): void;
  rename(account: WorldAccount, handle: string, fromMs: number): void;
  answer(request: UpstreamRequest, nowMs: number): UpstreamAnswer;
  userOf(account: WorldAccount, nowMs: number): User;
}

const PAGE = 20;
/** A query with more members than this is refused. */
const MAX_OPERATORS = 22;

export function createAccountsWorld(
  options: { readonly longestQuery?: number } = {},
): AccountsWorld {
  const accounts: WorldAccount[] = [];
  const byId = new Map<string, WorldAccount>();
  const byHandle = new Map<string, WorldAccount[]>();
  let sequence = 0;

  const isGone = ({ gone }: WorldAccount, nowMs: number) =>
    gone.some(({ fromMs, untilMs }) => nowMs >= fromMs && nowMs < untilMs);
  const handleAt = ({ names }: WorldAccount, nowMs: number) =>
    names.findLast(({ fromMs }) => fromMs <= nowMs)?.handle ?? "";
  const ownerOf = (handle: string, nowMs: number) =>
    byHandle
      .get(handle.toLowerCase())
      ?.find(
        (one) => handleAt(one, nowMs).toLowerCase() === handle.toLowerCase() && !isGone(one, nowMs),
      );

  const userOf = (account: WorldAccount, nowMs: number): User => {
    let count = account.postsBefore;
    if (!account.isFrozen) {
      count += indexAfter(account.posts, nowMs);
      for (const { visibleAtMs, deletedAtMs, atMs } of account.oddPosts) {
        if (atMs <= nowMs && (visibleAtMs > nowMs || deletedAtMs <= nowMs)) count -= 1;
      }
      for (const { fromMs, untilMs, by } of account.flaps)
        if (nowMs >= fromMs && nowMs < untilMs) count += by;
    }
    return { ...makeUser(account.id, handleAt(account, nowMs)), tweets_count: count };
  };

  const tweetOf = (account: WorldAccount, post: WorldPost, nowMs: number): Tweet => ({
    ...makeTweet(post.id, `post ${post.id}`),
    created_at: new Date(post.atMs).toISOString(),
    user: makeUser(account.id, handleAt(account, nowMs)),
    ...(post.isRetweet ? { retweeted_status: makeTweet("1", "somebody else's") } : {}),
  });

  const page = (
    found: readonly { account: WorldAccount; post: WorldPost }[],
    nowMs: number,
  ): UpstreamAnswer => {
    const shown = found.slice(0, PAGE);
    const last = shown.at(-1);
    return {
      tweets: shown.map(({ account, post }) => tweetOf(account, post, nowMs)),
      ...(found.length > shown.length && last !== undefined
        ? { nextCursor: `c${last.post.id}` }
        : {}),
    };
  };

  const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
  const below = (request: UpstreamRequest) => request.cursor?.slice(1);

  const timeline = (request: UpstreamRequest, nowMs: number): UpstreamAnswer => {
    const account = byId.get(textOf(request.params["user_id"]));
    if (account === undefined || isGone(account, nowMs))
      throw new UpstreamError("not_found", "Not Found", 404);
    const found: { account: WorldAccount; post: WorldPost }[] = [];
    const cursor = below(request);
    for (
      let index = indexAfter(account.posts, nowMs) - 1;
      index >= 0 && found.length <= PAGE;
      index -= 1
    ) {
      const post = account.posts[index] as WorldPost;
      if (
        post.visibleAtMs <= nowMs &&
        post.deletedAtMs > nowMs &&
        (cursor === undefined || compareIds(post.id, cursor) < 0)
      )
        found.push({ account, post });
    }
    return page(found, nowMs);
  };

  const search = (request: UpstreamRequest, nowMs: number): UpstreamAnswer => {
    const query = textOf(request.params["query"]);
    if (
      query.length > (options.longestQuery ?? 450) ||
      [...query.matchAll(/\w+:/g)].length > MAX_OPERATORS
    )
      throw new UpstreamError("bad_request", "query is too long", 400);
    const sinceMs = Number(/since_time:(\d+)/.exec(query)?.[1] ?? 0) * 1_000;
    const withRetweets = query.includes("include:nativeretweets");
    const cursor = below(request);
    const found: { account: WorldAccount; post: WorldPost }[] = [];
    for (const [, handle = ""] of query.matchAll(/from:(\w+)/g)) {
      const account = ownerOf(handle, nowMs);
      if (account === undefined || account.isHidden) continue;
      for (let index = indexAfter(account.posts, nowMs) - 1; index >= 0; index -= 1) {
        const post = account.posts[index] as WorldPost;
        if (post.atMs < sinceMs) break;
        const isShown =
          post.searchableAtMs <= nowMs &&
          post.deletedAtMs > nowMs &&
          (withRetweets || !post.isRetweet);
        if (isShown && (cursor === undefined || compareIds(post.id, cursor) < 0))
          found.push({ account, post });
      }
    }
    return page(
      found.sort((a, b) => compareIds(b.post.id, a.post.id)),
      nowMs,
    );
  };

  const batch = ({ params }: UpstreamRequest, nowMs: number): UpstreamAnswer => {
    const ids = (params["user_ids"] as readonly string[] | undefined)?.map((id) => byId.get(id));
    const named = (params["usernames"] as readonly string[] | undefined)?.map((handle) =>
      ownerOf(handle, nowMs),
    );
    const users = (ids ?? named ?? []).filter(
      (one) => one !== undefined && !isGone(one, nowMs),
    ) as readonly WorldAccount[];
    return { users: users.map((account) => userOf(account, nowMs)) };
  };

  return {
    accounts,
    add(handle, { isHidden = false, isFrozen = false } = {}) {
      const id = String(1_000 + accounts.length);
      const account = {
        id,
        names: [{ handle, fromMs: 0 }],
        posts: [],
        oddPosts: [],
        postsBefore: 50,
        isHidden,
        isFrozen,
        gone: [],
        flaps: [],
      };
      accounts.push(account);
      byId.set(id, account);
      byHandle.set(handle.toLowerCase(), [...(byHandle.get(handle.toLowerCase()) ?? []), account]);
      return account;
    },
    post(
      account,
      atMs,
      {
        visibleLagMs = 0,
        searchLagMs = 0,
        deletedAtMs = Number.POSITIVE_INFINITY,
        isRetweet = false,
      } = {},
    ) {
      sequence = (sequence + 1) % 4_194_304;
      const id = (BigInt(tweetIdAt(atMs)) + BigInt(sequence)).toString();
      const visibleAtMs = atMs + visibleLagMs;
      const post = {
        id,
        atMs,
        visibleAtMs,
        searchableAtMs: visibleAtMs + searchLagMs,
        deletedAtMs,
        isRetweet,
      };
      account.posts.splice(indexAfter(account.posts, atMs), 0, post);
      if (visibleLagMs > 0 || deletedAtMs < Number.POSITIVE_INFINITY) account.oddPosts.push(post);
      return post;
    },
    delete(account, index, atMs) {
      const post = account.posts[index];
      if (post === undefined) return;
      const deleted = { ...post, deletedAtMs: atMs };
      account.posts.splice(index, 1, deleted);
      account.oddPosts.push(deleted);
    },
    rename(account, handle, fromMs) {
      account.names.push({ handle, fromMs });
      byHandle.set(handle.toLowerCase(), [...(byHandle.get(handle.toLowerCase()) ?? []), account]);
    },
    userOf,
    answer(request, nowMs) {
      if (request.endpoint === "info-batch") return batch(request, nowMs);
      if (request.endpoint === "user-tweets") return timeline(request, nowMs);
      if (request.endpoint === "search-tweets") return search(request, nowMs);
      const account = byId.get(textOf(request.params["user_id"]));
      if (account === undefined || isGone(account, nowMs))
        throw new UpstreamError("not_found", "Not Found", 404);
      if (request.endpoint === "id-to-username")
        return { record: { handle: handleAt(account, nowMs) } };
      return { record: userOf(account, nowMs) };
    },
  };
}

/** Returns how many posts are dated up to `nowMs`. */
function indexAfter(posts: readonly WorldPost[], nowMs: number): number {
  let [low, high] = [0, posts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((posts[middle]?.atMs ?? 0) <= nowMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface RecordedCall {
  readonly endpoint: string;
  readonly atMs: number;
}

/** Serves a world: answers a moment later, and records the requests. */
export function serveWorld(
  world: Pick<AccountsWorld, "answer">,
  clock: Clock,
): { readonly upstream: Upstream; readonly calls: readonly RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const upstream: Upstream = {
    async call(request) {
      calls.push({ endpoint: request.endpoint, atMs: clock.now() });
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  return { upstream, calls };
}
