/**
 * The tree of a search query, with the operators of docs/service.md section 5. parse.ts turns text
 * into this tree, and print.ts turns the tree into text.
 */

/** The values of `filter:` that are accepted; the service may know more. */
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
/** Operators whose value is an id of digits. */
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
 * Operators whose value is a date, `YYYY-MM-DD` or `YYYY-MM-DD_HH:MM:SS_UTC`. The tree keeps its
 * text.
 */
export const DATE_OPERATORS = ["since", "until"] as const;

/**
 * The union of one object type for each name in `K`, so that a check of `kind` narrows to one type.
 */
type Each<K extends string, Body> = {
  readonly [Kind in K]: { readonly kind: Kind } & Readonly<Body>;
}[K];

/**
 * The inner nodes of the tree. `and` and `or` have at least two parts. Nested groups are kept as
 * they are written.
 */
type Nested = Each<"and" | "or", { of: readonly Query[] }> | Each<"not", { of: Query }>;

/**
 * A leaf of the tree. The text of a hashtag, cashtag or mention has no sign; a phrase contains no
 * quote.
 */
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

/**
 * Returns the milliseconds since 1970 of a `since:` or `until:` date; undefined if the text is no
 * such date.
 */
export function dateMs(date: string): number | undefined {
  const found = DATE.exec(date);
  if (found === null) return undefined;
  const ms = Date.parse(`${found[1]}T${found[2] ?? "00:00:00"}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
