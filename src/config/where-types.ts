/** The names a `where` expression sees, typed, by the body of the watch type; and event bodies as CEL wants them. */
import type { BodyShape } from "../watches/watch-type.ts";
import type { EventBody } from "../model/event.ts";

type Fields = { readonly [name: string]: string | Fields };

const USER: Fields = {
  id: "string",
  username: "string",
  display_name: "string",
  description: "string",
  location: "string",
  bio_urls: "list<string>",
  can_dm: "bool",
  created_at: "string",
  favourites_count: "int",
  followers_count: "int",
  followings_count: "int",
  media_count: "int",
  tweets_count: "int",
  pinned_tweet_ids: "list<string>",
  profile_image_url: "string",
  protected: "bool",
  verified: "bool",
  followerDate: "string",
};

const PLAIN_TWEET: Fields = {
  id: "string",
  full_text: "string",
  created_at: "string",
  lang: "string",
  conversation_id_str: "string",
  entities: "list<map<string, string>>",
  is_reply: "bool",
  in_reply_to_tweet_id: "string",
  in_reply_to_username: "string",
  is_quote_status: "bool",
  likes_count: "int",
  retweet_count: "int",
  reply_count: "int",
  quote_count: "int",
  bookmark_count: "int",
  view_count: "int",
  user: USER,
};

/** One level down: a quote of a quote is not read. */
const TWEET: Fields = { ...PLAIN_TWEET, quoted_status: PLAIN_TWEET, retweeted_status: PLAIN_TWEET };

const SCORE: Fields = { week_delta: "int", month_delta: "int" };

/** The body of one watch type, or of any: a sink's own conditions see all of them. */
export type WhereShape = BodyShape | "any";

/** Variables besides `labels`. */
export const BODY_VARIABLES: Readonly<Record<WhereShape, Readonly<Record<string, string | Fields>>>> = {
  any: { tweet: TWEET, user: USER, target: USER, score: SCORE, previous: SCORE, crossed: "list<string>" },
  tweet: { tweet: TWEET },
  follower: { user: USER, target: USER },
  score: { user: USER, score: SCORE, previous: SCORE, crossed: "list<string>" },
};

/** Every name an expression may use, for "did you mean". */
export function namesIn(shape: WhereShape): readonly string[] {
  const walk = (fields: Fields): readonly string[] =>
    Object.entries(fields).flatMap(([name, type]) => (typeof type === "string" ? [name] : [name, ...walk(type)]));
  return [...new Set([...walk(BODY_VARIABLES[shape]), "labels"])];
}

const converted = new WeakMap<object, unknown>();

/** Whole numbers become BigInt: CEL keeps integers and doubles apart, and JavaScript does not. Nulls are left out: they are absent fields. */
export function celBody(body: EventBody): Record<string, unknown> {
  const before = converted.get(body);
  if (before !== undefined) return before as Record<string, unknown>;
  const fresh = convert(body) as Record<string, unknown>;
  converted.set(body, fresh);
  return fresh;
}

function convert(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, convert(inner)]));
}
