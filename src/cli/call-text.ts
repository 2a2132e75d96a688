/** What `call` prints as tables: a page of tweets or of users, one object, and the list of endpoints. */
import type { Endpoint } from "../api/endpoint.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Collected } from "./call-pages.ts";
import { formatCount, formatTable } from "./table.ts";

const LONGEST_TEXT = 70;

export function formatCollected({ kind, items }: Collected): string {
  if (items.length === 0) return "(nothing)";
  if (kind === "tweets") return tweetTable(items as readonly Tweet[]);
  return kind === "users" ? userTable(items as readonly User[]) : items.map(recordTable).join("\n\n");
}

const tweetTable = (tweets: readonly Tweet[]): string =>
  formatTable(
    [{ title: "ID" }, { title: "TIME" }, { title: "AUTHOR" }, { title: "LIKES", align: "right" }, { title: "TEXT" }],
    tweets.map((tweet) => [
      tweet.id,
      shortTime(tweet.created_at),
      `@${tweet.user.username}`,
      formatCount(tweet.likes_count),
      cut(tweet.full_text),
    ]),
  );

const userTable = (users: readonly User[]): string =>
  formatTable(
    [{ title: "ID" }, { title: "HANDLE" }, { title: "NAME" }, { title: "FOLLOWERS", align: "right" }, { title: "DESCRIPTION" }],
    users.map((user) => [user.id, `@${user.username}`, user.display_name, formatCount(user.followers_count), cut(user.description)]),
  );

const recordTable = (record: unknown): string =>
  formatTable(
    [{ title: "FIELD" }, { title: "VALUE" }],
    Object.entries(record as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === "string" ? cut(value) : cut(JSON.stringify(value)),
    ]),
  );

const shortTime = (iso: string): string => iso.slice(0, 16).replace("T", " ");
const cut = (text = ""): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

/** What a request of an endpoint costs, for people. */
export const costOf = (endpoint: Endpoint): string =>
  !endpoint.billed ? "free" : endpoint.cursor === undefined ? "1 request" : "1 request a page";

export const formatEndpoints = (endpoints: readonly (readonly [string, Endpoint])[]): string =>
  formatTable(
    [{ title: "ENDPOINT" }, { title: "COST" }, { title: "PAGE", align: "right" }, { title: "BATCH", align: "right" }, { title: "WHAT" }],
    endpoints.map(([name, endpoint]) => [
      name,
      costOf(endpoint),
      endpoint.pageSize === undefined ? "-" : String(endpoint.pageSize),
      endpoint.batch === undefined ? "-" : String(endpoint.batch.size),
      endpoint.doc,
    ]),
  );

/** One row of `call --list --json`. */
export const endpointJson = ([name, endpoint]: readonly [string, Endpoint]) => ({
  endpoint: name,
  method: endpoint.method,
  path: endpoint.path,
  billed: endpoint.billed,
  paged: endpoint.cursor !== undefined,
  page_size: endpoint.pageSize ?? null,
  batch: endpoint.batch ?? null,
  parameters: Object.keys(endpoint.input.shape),
  doc: endpoint.doc,
});
