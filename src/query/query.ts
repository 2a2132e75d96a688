/**
 * The tree of a search query, with the operators of docs/service.md section 5. Defines the words of
 * the language; parse.ts and print.ts read and write texts.
 */

/** The known values of `filter:`; the service may know more. */
export const FILTERS = [
  "replies",
  "quote",
  "nativeretweets",
  "media",
  "images",
  "videos",
  "links",
  "mentions",
  "hashtags",
  "verified",
  "has_engagement",
  "safe",
] as const;
export type Filter = (typeof FILTERS)[number];

/** Operators whose value is a handle without @, in lower case. */
export const HANDLE_OPERATORS = ["from", "to"] as const;
/** Operators whose value is an id: digits. */
export const ID_OPERATORS = [
  "since_id",
  "max_id",
  "conversation_id",
  "quoted_tweet_id",
  "quoted_user_id",
  "list",
] as const;
/** Operators whose value is a whole number. */
export const COUNT_OPERATORS = [
  "min_faves",
  "min_retweets",
  "min_replies",
  "since_time",
  "until_time",
] as const;
/**
 * Operators whose value is a date, `YYYY-MM-DD` or `YYYY-MM-DD_HH:MM:SS_UTC`, which is kept as
 * written.
 */
export const DATE_OPERATORS = ["since", "until"] as const;

/**
 * Makes one member of the union for each name, so that a check of `kind` narrows to that member.
 */
type Each<K extends string, Body> = {
  readonly [Kind in K]: { readonly kind: Kind } & Readonly<Body>;
}[K];

/** Groups: `and` and `or` have two members or more. A group in the text stays a group here. */
type Nested = Each<"and" | "or", { of: readonly Query[] }> | Each<"not", { of: Query }>;

/** A leaf of the tree. Tags come without their sign; a phrase contains no quote. */
export type QueryTerm =
  | Each<"word" | "phrase" | "hashtag" | "cashtag" | "mention" | "url", { text: string }>
  | Each<(typeof HANDLE_OPERATORS)[number], { handle: string }>
  | Each<(typeof ID_OPERATORS)[number], { id: string }>
  | Each<(typeof COUNT_OPERATORS)[number], { count: number }>
  | Each<(typeof DATE_OPERATORS)[number], { date: string }>
  | Each<"within_time", { count: number; unit: "d" | "h" | "m" | "s" }>
  | Each<"lang", { lang: string }>
  | Each<"filter", { filter: Filter }>
  | { readonly kind: "include_nativeretweets" };

export type Query = Nested | QueryTerm;

const DATE = /^(\d{4}-\d{2}-\d{2})(?:_(\d{2}:\d{2}:\d{2})_UTC)?$/;

/** Returns the epoch ms of a `since:` or `until:` date in UTC; undefined if it is no date. */
export function dateMs(date: string): number | undefined {
  const found = DATE.exec(date);
  if (found === null) return undefined;
  const ms = Date.parse(`${found[1]}T${found[2] ?? "00:00:00"}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
