/**
 * Pages and cursors. The pages contain the traps that the documents warn of: short pages, and empty
 * pages that still have a cursor. A list ends only when `next_cursor` is null. A cursor is always a
 * string (api-v3.md, Shared rules 2). A cursor for tweets names the last item that was shown, so
 * that new items never shift a page. A cursor for a follower or member list is an int64 in digits
 * and encodes a position, counted from the oldest entry.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Answer, Call } from "./call.ts";
import { badRequest } from "./service-error.ts";
import { hash32 } from "../world/chance/dice.ts";
import type { TweetRecord } from "../world/tweets/tweet-record.ts";

/** The number of tweets on a full page (api-v3.md, Limits). */
const TWEETS_PER_PAGE = 20;
export const USERS_PER_PAGE = 200;

/** The content of a cursor. */
interface Mark {
  /** The id of the last item that was shown, or an offset. */
  readonly anchor: string;
  /** Whether the page before this one was empty. */
  readonly afterEmpty: boolean;
}

const PREFIX = "DAAB";

function encode(endpoint: string, mark: Mark): string {
  const plain = `${mark.anchor}:${mark.afterEmpty ? 1 : 0}`;
  return (
    PREFIX + Buffer.from(`${plain}:${hash32(endpoint, plain).toString(36)}`).toString("base64url")
  );
}

/**
 * Decodes the cursor of a request; undefined for a first page. @throws ServiceError 400 if the
 * cursor is not one of this endpoint
 */
function readMark(call: Call): Mark | undefined {
  const { cursor } = call;
  if (cursor === undefined) return undefined;
  const [anchor, flag, check] = Buffer.from(cursor.slice(PREFIX.length), "base64url")
    .toString()
    .split(":");
  const isOurs =
    cursor.startsWith(PREFIX) && hash32(call.endpoint, `${anchor}:${flag}`).toString(36) === check;
  if (!isOurs || anchor === undefined) throw badRequest("invalid next_cursor");
  return { anchor, afterEmpty: flag === "1" };
}

/**
 * Decides how many items this page may have, and whether the page is empty although the list goes
 * on. The first page is never empty, and an empty page never follows another.
 */
function pageShape(
  call: Call,
  mark: Mark | undefined,
  most: number,
): { readonly size: number; readonly isEmpty: boolean } {
  if (!call.traps) return { size: most, isEmpty: false };
  const chance = hash32(call.world.seed, call.endpoint, mark?.anchor ?? "");
  const isEmpty = mark !== undefined && !mark.afterEmpty && chance % 9 === 0;
  const short = mark !== undefined && chance % 5 === 0 ? 0.9 : 0.05;
  return {
    size: most - Math.floor((((chance >>> 8) % 100) / 100) * short * most) - (chance % 2),
    isEmpty,
  };
}

/** Returns the id of the tweet below which this page begins; undefined for a first page. */
export const anchorOf = (call: Call): string | undefined => readMark(call)?.anchor;

/**
 * Returns a page of tweets, newest first. `scan` yields the tweets below the anchor. `first`:
 * pinned tweets, which the page shows before the others.
 */
export function tweetPage(
  call: Call,
  scan: Iterable<TweetRecord>,
  first: readonly TweetRecord[] = [],
): Answer {
  const mark = readMark(call);
  const shape = pageShape(call, mark, TWEETS_PER_PAGE - first.length);
  if (shape.isEmpty)
    return tweetAnswer(
      call,
      [],
      encode(call.endpoint, { anchor: mark?.anchor ?? "", afterEmpty: true }),
    );
  const found = firstOf(scan, shape.size);
  const last = found.items.at(-1);
  const next =
    found.hasMore && last !== undefined
      ? encode(call.endpoint, { anchor: last.id, afterEmpty: false })
      : null;
  return tweetAnswer(call, [...first, ...found.items], next);
}

const tweetAnswer = (call: Call, records: readonly TweetRecord[], next: string | null): Answer => ({
  body: { next_cursor: next, tweets: records.map((record) => call.show.tweet(record)) },
});

function firstOf<T>(
  items: Iterable<T>,
  count: number,
): { readonly items: readonly T[]; readonly hasMore: boolean } {
  const found: T[] = [];
  for (const item of items) {
    if (found.length === count) return { items: found, hasMore: true };
    found.push(item);
  }
  return { items: found, hasMore: false };
}

export interface OffsetPage<T> {
  /** The name of the array in the answer. */
  readonly name: "users" | "tweets";
  readonly most: number;
  /** Returns the item as JSON; undefined for an item that cannot be shown. */
  readonly show: (item: T) => JsonObject | undefined;
}

/**
 * Returns a page of a list whose items have no ids to continue from. The cursor of this page is an
 * offset.
 */
export function offsetPage<T>(
  call: Call,
  items: readonly T[],
  { name, most, show }: OffsetPage<T>,
): Answer {
  const mark = readMark(call);
  const offset = Number(mark?.anchor ?? 0);
  const shape = pageShape(call, mark, most);
  if (shape.isEmpty)
    return {
      body: {
        next_cursor: encode(call.endpoint, { anchor: String(offset), afterEmpty: true }),
        [name]: [],
      },
    };
  const end = offset + shape.size;
  const next =
    end < items.length ? encode(call.endpoint, { anchor: String(end), afterEmpty: false }) : null;
  return {
    body: {
      next_cursor: next,
      [name]: items
        .slice(offset, end)
        .map(show)
        .filter((item) => item !== undefined),
    },
  };
}

const INT64_BASE = 1_700_000_000_000_000_000n;
const INT64_STEP = 1_009n;

/**
 * Encodes a position as digits beyond 2^53. A client that parses the digits as a double sends back
 * wrong digits, which are refused.
 */
const encodePosition = (position: number, afterEmpty: boolean): string =>
  (INT64_BASE + BigInt(position * 2 + (afterEmpty ? 1 : 0)) * INT64_STEP).toString();

function readPosition(
  call: Call,
): { readonly position: number; readonly afterEmpty: boolean } | undefined {
  const digits = call.cursor;
  if (digits === undefined) return undefined;
  const offset = /^\d{19}$/.test(digits) ? BigInt(digits) - INT64_BASE : -1n;
  if (offset < 0n || offset % INT64_STEP !== 0n) throw badRequest("invalid next_cursor");
  const code = Number(offset / INT64_STEP);
  return { position: code >> 1, afterEmpty: code % 2 === 1 };
}

/**
 * Returns a page of users. Positions are counted from the oldest entry (0), and the list begins
 * with the newest (`total` - 1). `userAt` returns undefined for a position whose user has left or
 * cannot be shown.
 */
export function positionPage(
  call: Call,
  total: number,
  userAt: (position: number) => JsonObject | undefined,
): Answer {
  const mark = readPosition(call);
  const from = mark?.position ?? total;
  const anchor =
    mark === undefined ? undefined : { anchor: String(from), afterEmpty: mark.afterEmpty };
  const shape = pageShape(call, anchor, USERS_PER_PAGE);
  if (shape.isEmpty) return { body: { next_cursor: encodePosition(from, true), users: [] } };
  const to = Math.max(0, from - shape.size);
  const users = Array.from({ length: from - to }, (_, i) => userAt(from - 1 - i)).filter(
    (user) => user !== undefined,
  );
  return { body: { next_cursor: to > 0 ? encodePosition(to, false) : null, users } };
}
