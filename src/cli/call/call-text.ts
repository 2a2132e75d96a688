/**
 * Formats what `call` prints: tables of tweets or users, a single object, and the list of
 * endpoints.
 */
import type { Endpoint } from "../../api/endpoint.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { Collected } from "./call-pages.ts";
import { type Column, formatCount, formatTable } from "../terminal/table.ts";

/**
 * The maximum length of a text, in characters, if the output is not a terminal with a known width.
 */
const MAX_TEXT = 70;

/**
 * Formats an answer. `width` is the number of columns of the terminal. It is undefined if the
 * output is not a terminal.
 */
export function formatCollected({ kind, items }: Collected, width?: number): string {
  if (items.length === 0) return "(nothing)";
  if (kind === "tweets") return tweetTable(items as readonly Tweet[], width);
  if (kind === "users") return userTable(items as readonly User[], width);
  return (items as readonly JsonObject[]).map((record) => recordTable(record, width)).join("\n\n");
}

const tweetTable = (tweets: readonly Tweet[], width: number | undefined): string =>
  formatTable(
    [
      { title: "ID" },
      { title: "TIME" },
      { title: "AUTHOR" },
      { title: "LIKES", align: "right" },
      { title: "TEXT" },
    ],
    tweets.map((tweet) => [
      tweet.id,
      shortTime(tweet.created_at),
      `@${tweet.user.username}`,
      formatCount(tweet.likes_count),
      cut(tweet.full_text, width),
    ]),
    width,
  );

/** Fields that some lists of users have in addition to the profile. */
const EXTRAS: readonly {
  readonly column: Column;
  readonly field: string;
  readonly show: (value: Json | undefined) => string;
}[] = [
  {
    column: { title: "SCORE", align: "right" },
    field: "score",
    show: (value) => (typeof value === "number" ? formatCount(value) : "-"),
  },
  {
    column: { title: "SINCE" },
    field: "followerDate",
    show: (value) => shortTime(typeof value === "string" ? value : ""),
  },
];

function userTable(users: readonly User[], width: number | undefined): string {
  const extras = EXTRAS.filter(({ field }) => users.some((user) => user[field] !== undefined));
  const [id, handle, name, followers, description] = [
    "ID",
    "HANDLE",
    "NAME",
    "FOLLOWERS",
    "DESCRIPTION",
  ].map((title) => ({ title }));
  return formatTable(
    [
      id,
      handle,
      name,
      { ...followers, align: "right" },
      ...extras.map(({ column }) => column),
      description,
    ] as readonly Column[],
    users.map((user) => [
      user.id,
      `@${user.username}`,
      user.display_name,
      formatCount(user.followers_count),
      ...extras.map(({ field, show }) => show(user[field])),
      cut(user.description ?? "", width),
    ]),
    width,
  );
}

/**
 * Formats an object field by field. An object that holds nothing but a list is shown as that list.
 */
function recordTable(record: JsonObject, width: number | undefined): string {
  const [only, ...others] = Object.values(record);
  if (others.length === 0 && Array.isArray(only) && only.length > 0)
    return listTable(only as readonly JsonObject[], width);
  return formatTable(
    [{ title: "FIELD" }, { title: "VALUE" }],
    Object.entries(record).map(([name, value]) => [name, cut(valueText(value), width)]),
    width,
  );
}

function listTable(entries: readonly JsonObject[], width: number | undefined): string {
  const fields = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  return formatTable(
    fields.map((field) => ({ title: field.toUpperCase() })),
    entries.map((entry) => fields.map((field) => cut(valueText(entry[field]), width))),
    width,
  );
}

const valueText = (value: Json | undefined): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");
const shortTime = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** Shortens a text if there is no terminal; on a terminal the whole line is shortened instead. */
const cut = (text: string, width: number | undefined): string =>
  width === undefined && text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

/** Says in words what a call of this endpoint costs. */
export const endpointCost = (endpoint: Endpoint): string =>
  !endpoint.billed ? "free" : endpoint.cursor === undefined ? "1 request" : "1 request a page";

export const formatEndpoints = (
  endpoints: readonly (readonly [string, Endpoint])[],
  width?: number,
): string =>
  formatTable(
    [
      { title: "ENDPOINT" },
      { title: "METHOD" },
      { title: "COST" },
      { title: "PAGE", align: "right" },
      { title: "BATCH", align: "right" },
      { title: "WHAT" },
    ],
    endpoints.map(([name, endpoint]) => [
      name,
      endpoint.method,
      endpointCost(endpoint),
      pageSizeText(endpoint),
      endpoint.batch === undefined ? "-" : String(endpoint.batch.size),
      endpoint.doc,
    ]),
    width,
  );

/**
 * Returns how many items a page has at most: `?` if the service does not say, `-` if there are no
 * pages.
 */
export const pageSizeText = ({ cursor, pageSize }: Endpoint): string =>
  pageSize !== undefined ? String(pageSize) : cursor === undefined ? "-" : "?";

/** Returns one row of `call --list --json`. */
export const endpointJson = ([name, endpoint]: readonly [string, Endpoint]) => ({
  endpoint: name,
  method: endpoint.method,
  path: `/${endpoint.version ?? "v3"}${endpoint.path}`,
  cost: endpointCost(endpoint),
  billed: endpoint.billed,
  paged: endpoint.cursor !== undefined,
  page_size: endpoint.pageSize ?? null,
  batch: endpoint.batch ?? null,
  parameters: Object.keys(endpoint.input.shape),
  exactly_one: endpoint.exactlyOne ?? [],
  at_least_one: endpoint.atLeastOne ?? [],
  doc: endpoint.doc,
});
