/**
 * The data service, implemented a second time from its own document alone and as awkward as it is
 * allowed to be: bare 64-bit numbers, two date formats, null arrays, short pages, empty pages with
 * a cursor, a pinned post first on every page. Shares no code with the sandbox.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly atMs: number;
  readonly endpoint: string;
  readonly params: Record<string, string>;
  readonly status: number;
}

interface Post {
  readonly id: bigint;
  readonly text: string;
  readonly author: string;
  readonly pinned: boolean;
}

export interface ApiStandIn {
  readonly url: string;
  readonly key: string;
  /** The keys that it accepts. If empty, it refuses everyone. */
  readonly keys: Set<string>;
  readonly asked: readonly Asked[];
  /** Returns the number of requests to an endpoint, optionally of first pages only. */
  count(endpoint: string): number;
  /** Makes an account; returns its id. */
  account(username: string): string;
  rename(id: string, username: string): void;
  /**
   * Adds posts, oldest first, to `user:<id>`, `search:<query>` or `community:<id>`, with its words
   * as their text. Returns their ids.
   */
  post(
    feed: string,
    count?: number,
    options?: { readonly author?: string; readonly pinned?: boolean; readonly text?: string },
  ): string[];
  /** Adds followers to an account; returns their ids. */
  follow(id: string, count?: number): string[];
  /** Sets the score of an account. Undefined: the account is not indexed. */
  score(id: string, change: { week_delta: number; month_delta: number } | undefined): void;
  /**
   * Sets a function that answers requests instead, whenever it returns something. `key` is the key
   * of the request.
   */
  fault(
    next: ((endpoint: string, response: ServerResponse, key: string) => boolean) | undefined,
  ): void;
  /** The billed requests that are left, as /key-usage-info shows them. */
  remaining: number;
  close(): Promise<void>;
}

const PAGE = 7;
const EPOCH_MS = 1_288_834_974_657n;

export async function startApiStandIn(): Promise<ApiStandIn> {
  const key = "K-of-the-stand-in";
  const keys = new Set([key]);
  const asked: Asked[] = [];
  const users = new Map<string, string>();
  const feeds = new Map<string, Post[]>();
  const followers = new Map<string, { id: string; name: string; at: number }[]>();
  const scores = new Map<string, { week_delta: number; month_delta: number }>();
  const cursors = new Map<string, { below: bigint; isEmpty: boolean }>();
  let lastCursor = 9_007_199_254_740_993n;
  let lastId = 0n;
  let fault: ((endpoint: string, response: ServerResponse, key: string) => boolean) | undefined;
  // More requests than polls every second make in a month, so that the quota slows nothing down.
  const state = { remaining: 1_000_000_000 };

  const newId = (atMs: number): bigint => {
    const id = ((BigInt(atMs) - EPOCH_MS) << 22n) | 1n;
    lastId = id > lastId ? id : lastId + 2n;
    return lastId;
  };

  const makeCursor = (below: bigint, isEmpty: boolean): string => {
    lastCursor += 2n;
    cursors.set(String(lastCursor), { below, isEmpty });
    return String(lastCursor);
  };

  const userId = (params: Record<string, string>): string | undefined =>
    params["user_id"] ??
    [...users].find(([, name]) => name.toLowerCase() === params["username"]?.toLowerCase())?.[0];

  const userOf = (id: string, name = users.get(id) ?? `user${id}`) => ({
    id: bare(id),
    username: name,
    display_name: name.toUpperCase(),
    description: "bio",
    bio_urls: null,
    pinned_tweet_ids: null,
    created_at: "Fri Mar 06 13:38:49 +0000 2020",
    favourites_count: 1,
    followers_count: followers.get(id)?.length ?? 0,
    followings_count: 2,
    media_count: 0,
    tweets_count: feeds.get(`user:${id}`)?.length ?? 0,
    profile_image_url: "https://pictures.example/a.png",
    protected: false,
    verified: false,
    something_new: { nobody: "knows" },
  });

  const tweetOf = ({ id, text, author }: Post) => {
    const at = new Date(Number((id >> 22n) + EPOCH_MS));
    return {
      id: bare(String(id)),
      full_text: text,
      created_at: id % 4n === 1n ? at.toISOString() : platformDate(at),
      lang: "en",
      conversation_id_str: String(id),
      entities: null,
      is_reply: false,
      is_quote_status: false,
      likes_count: 3,
      retweet_count: 1,
      reply_count: 0,
      quote_count: 0,
      bookmark_count: 0,
      view_count: 10,
      user: userOf(author),
    };
  };

  /** Returns the feed that one term of a search shows. */
  const searched = (term: string): string =>
    term.startsWith("from:")
      ? `user:${userId({ username: term.slice("from:".length) })}`
      : `search:${term}`;

  /**
   * Returns a page, newest first. A cursor continues below an id, and every second cursor leads to
   * an empty page first.
   */
  const feedPage = (
    feed: readonly string[],
    params: Record<string, string>,
    bounds: { since: number; max: bigint | undefined },
  ) => {
    const from =
      params["next_cursor"] === undefined ? undefined : cursors.get(params["next_cursor"]);
    if (params["next_cursor"] !== undefined && from === undefined) return undefined;
    const all = feed.flatMap((one) => feeds.get(one) ?? []).sort((a, b) => (a.id < b.id ? 1 : -1));
    const pinned = all.filter((post) => post.pinned);
    if (from?.isEmpty === true)
      return {
        next_cursor: bare(makeCursor(from.below, false)),
        tweets: params["x"] === "1" ? null : [],
      };
    const rest = all.filter(
      ({ id, pinned: isPinned }) =>
        !isPinned &&
        (from === undefined || id < from.below) &&
        (bounds.max === undefined || id <= bounds.max) &&
        Number((id >> 22n) + EPOCH_MS) >= bounds.since * 1_000,
    );
    const page = rest.slice(0, PAGE);
    const last = page.at(-1);
    const next =
      last !== undefined && rest.length > PAGE
        ? bare(makeCursor(last.id, lastCursor % 4n === 1n))
        : null;
    return { next_cursor: next, tweets: [...pinned, ...page].map(tweetOf) };
  };

  const answers: Record<
    string,
    (params: Record<string, string>, lists: Record<string, string[]>) => unknown
  > = {
    "info-batch": (_, lists) => ({
      users: [...users]
        .filter(
          ([id, name]) =>
            lists["user_ids"]?.includes(id) ||
            lists["usernames"]?.some((one) => one.toLowerCase() === name.toLowerCase()),
        )
        .map(([id]) => userOf(id)),
    }),
    info: (params) => (users.has(userId(params) ?? "") ? userOf(userId(params) ?? "") : undefined),
    "id-to-username": (params) =>
      users.has(params["path"] ?? "") ? { handle: users.get(params["path"] ?? "") } : undefined,
    "user-tweets": (params) =>
      users.has(userId(params) ?? "")
        ? feedPage([`user:${userId(params)}`], params, { since: 0, max: undefined })
        : undefined,
    "community-tweets": (params) =>
      feedPage([`community:${params["community_id"]}`], params, { since: 0, max: undefined }),
    "search-tweets": (params) => {
      if (params["order"] !== "latest") return { next_cursor: null, tweets: [] };
      const since = /\bsince_time:(\d+)/.exec(params["query"] ?? "")?.[1];
      const max = /\bmax_id:(\d+)/.exec(params["query"] ?? "")?.[1];
      const query = (params["query"] ?? "")
        .replace(/\b((since_time|max_id):\d+|include:nativeretweets)\b/g, "")
        .replace(/[()]/g, "")
        .trim();
      return feedPage(query.split(" OR ").map(searched), params, {
        since: Number(since ?? 0),
        max: max === undefined ? undefined : BigInt(max),
      });
    },
    "new-followers-7d": (params) =>
      scores.has(userId(params) ?? "")
        ? {
            users: (followers.get(userId(params) ?? "") ?? [])
              .toReversed()
              .map(({ id, name, at }) => ({
                ...userOf(id, name),
                followerDate: new Date(at).toISOString(),
              })),
          }
        : undefined,
    followers: (params) => {
      const from =
        params["next_cursor"] === undefined ? undefined : cursors.get(params["next_cursor"]);
      const all = (followers.get(userId(params) ?? "") ?? [])
        .toReversed()
        .filter(({ id }) => from === undefined || BigInt(id) < from.below);
      const page = all.slice(0, 50);
      const last = page.at(-1);
      return {
        next_cursor:
          last !== undefined && all.length > 50 ? bare(makeCursor(BigInt(last.id), false)) : 0,
        users: page.map(({ id, name }) => userOf(id, name)),
      };
    },
    "score-changes": (params) => scores.get(userId(params) ?? ""),
    "key-usage-info": () => ({
      key_requests: 1,
      remaining_requests: state.remaining,
      total_requests: 5,
      valid_until: "2030-01-01",
    }),
  };

  const handle = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const url = new URL(request.url ?? "/", "http://stand-in");
    const [, version, endpoint = "", path] = url.pathname.split("/");
    const lists = {
      usernames: url.searchParams.getAll("usernames"),
      user_ids: url.searchParams.getAll("user_ids"),
    };
    const params = {
      ...Object.fromEntries(url.searchParams),
      ...parseObject(body),
      ...(path === undefined ? {} : { path }),
    } as Record<string, string>;
    const reply = (status: number, value: unknown) => {
      asked.push({ atMs: performance.now(), endpoint, params, status });
      response.writeHead(status, {
        "content-type": "application/json",
        date: new Date().toUTCString(),
      });
      response.end(typeof value === "string" ? value : write(value));
    };
    if (version !== "v3") return reply(404, { message: "no such path" });
    const given = rawHeader(request.rawHeaders, "ApiKey");
    if (given === undefined || !keys.has(given)) return reply(401, { message: "invalid api key" });
    if (
      request.method === "POST" &&
      !String(request.headers["content-type"]).startsWith("application/json")
    )
      return reply(400, { message: "not JSON" });
    if (fault?.(endpoint, response, given) === true)
      return void asked.push({
        atMs: performance.now(),
        endpoint,
        params,
        status: response.statusCode,
      });
    const answer = answers[endpoint];
    if (answer === undefined) return reply(404, { message: "no such endpoint" });
    const value = answer(params, lists);
    if (value === undefined)
      return params["next_cursor"] === undefined
        ? reply(404, { message: "not found" })
        : reply(400, { message: "bad cursor" });
    reply(200, value);
  };

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => handle(request, response, body));
  });
  // The default of five seconds would close the connection of a test that is held up for longer.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    key,
    keys,
    asked,
    count: (endpoint) => asked.filter((one) => one.endpoint === endpoint).length,
    account(username) {
      const id = String(newId(Date.now() - 90 * 86_400_000) + BigInt(users.size) * 2n);
      users.set(id, username);
      return id;
    },
    rename: (id, username) => void users.set(id, username),
    post(
      feed,
      count = 1,
      {
        author = [...users.keys()][0] ?? "1",
        pinned = false,
        text = feed.slice(feed.indexOf(":") + 1),
      } = {},
    ) {
      const list = feeds.get(feed) ?? [];
      feeds.set(feed, list);
      return Array.from({ length: count }, (_, i) => {
        const id = newId(Date.now());
        list.push({ id, text: `${text} ${i}`, author, pinned });
        return String(id);
      });
    },
    follow(target, count = 1) {
      const list = followers.get(target) ?? [];
      followers.set(target, list);
      return Array.from({ length: count }, () => {
        const id = String(newId(Date.now()));
        list.push({ id, name: `fan${id.slice(-8)}`, at: Date.now() });
        return id;
      });
    },
    score: (id, change) => void (change === undefined ? scores.delete(id) : scores.set(id, change)),
    fault: (next) => {
      fault = next;
    },
    get remaining() {
      return state.remaining;
    },
    set remaining(value) {
      state.remaining = value;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Marks digits that are written as a number, however many there are. */
const bare = (digits: string) => `\u0001${digits}\u0002`;
// eslint-disable-next-line no-control-regex
const write = (value: unknown): string =>
  JSON.stringify(value).replace(/"\\u0001(\d+)\\u0002"/g, "$1");

/** Formats a time as the platform does, without milliseconds: `Fri Mar 06 13:38:49 +0000 2026`. */
function platformDate(at: Date): string {
  const [weekday = "", day, month, year, time] = at.toUTCString().replace(",", "").split(" ");
  return `${weekday} ${month} ${day} ${time} +0000 ${year}`;
}

function rawHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const at = rawHeaders.findIndex((one, i) => i % 2 === 0 && one === name);
  return at < 0 ? undefined : rawHeaders[at + 1];
}

function parseObject(text: string): object {
  if (text === "") return {};
  return JSON.parse(text) as object;
}
