/**
 * Knows the names and types that a `where` expression can use, according to the body that a watch
 * type declares, and converts bodies to CEL values.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import type { EventBody } from "../../model/event.ts";
import { ownValue } from "../../model/own-value.ts";
import type { BodyField, WatchType } from "../../watches/watch-type.ts";

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

/**
 * A quoted or retweeted tweet has no tweet inside it here, because a quote in a quote is not read.
 */
const TWEET: Fields = { ...PLAIN_TWEET, quoted_status: PLAIN_TWEET, retweeted_status: PLAIN_TWEET };

/** The names of an event's body with their types, as a watch type declares them. */
export type WhereBody = Readonly<Record<string, BodyField>>;

/**
 * Returns the variables of an expression with their CEL types. `labels`, which every expression
 * has, is left out.
 */
export const variablesOf = (body: WhereBody): Fields =>
  Object.fromEntries(Object.entries(body).map(([name, field]) => [name, typeOfField(field)]));

function typeOfField(field: BodyField): string | Fields {
  if (field === "tweet") return TWEET;
  if (field === "user") return USER;
  return field === "texts" ? "list<string>" : field;
}

/**
 * Returns the body of any event, including what an enrichment adds, because routes and a sink's
 * conditions see all events. A name whose type differs between watch types has the type `dyn`.
 */
export function anyBody(types: readonly Pick<WatchType<any>, "body">[]): WhereBody {
  const all = new Map<string, BodyField>();
  for (const [name, field] of types.flatMap(({ body }) => Object.entries(body))) {
    const known = all.get(name);
    all.set(
      name,
      known === undefined || JSON.stringify(known) === JSON.stringify(field) ? field : "dyn",
    );
  }
  all.set("enrichment", "dyn");
  return Object.fromEntries(all);
}

/**
 * Returns every path that an expression may use. They are candidates for "did you mean": `tweet`,
 * `tweet.user`, `tweet.user.id`.
 */
export function pathsIn(body: WhereBody): readonly string[] {
  const walk = (fields: Fields, above: string): readonly string[] =>
    Object.entries(fields).flatMap(([name, type]) => {
      const path = `${above}${name}`;
      return typeof type === "string" ? [path] : [path, ...walk(type, `${path}.`)];
    });
  return [...walk(variablesOf(body), ""), "labels"];
}

/** The fields of an object that an expression reads, and those that it reads in their values. */
export interface UsedFields extends ReadonlyMap<string, UsedFields | "whole"> {}
type MutableFields = Map<string, MutableFields | "whole">;

/** Returns the fields that an expression reads in a body. */
export function usedFields(ast: ASTNode): UsedFields {
  const used: MutableFields = new Map();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const inner of node) visit(inner);
    else if (isNode(node)) {
      const path = pathOf(node);
      if (path === undefined) visit(node.args);
      else addPath(used, path);
    }
  };
  visit(ast);
  return used;
}

/** Returns `tweet.user.id` as its names; undefined if the node is not such a path. */
function pathOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === "id") return [node.args as string];
  if (node.op !== ".") return undefined;
  const [object, name] = node.args as [ASTNode, string];
  const above = pathOf(object);
  return above === undefined ? undefined : [...above, name];
}

function addPath(fields: MutableFields, [name = "", ...below]: readonly string[]): void {
  const known = fields.get(name) ?? new Map();
  const inner = known === "whole" || below.length === 0 ? "whole" : known;
  fields.set(name, inner);
  if (inner !== "whole") addPath(inner, below);
}

export const isNode = (value: unknown): value is ASTNode =>
  typeof value === "object" && value !== null && "op" in value && "args" in value;

/**
 * Converts the fields of a body that an expression reads for CEL, because most of a post is not
 * read. Whole numbers become BigInt, because CEL distinguishes integers from doubles and JavaScript
 * does not. Fields that are null are left out, so that CEL treats them as absent.
 */
export const celBody = (body: EventBody, used: UsedFields): Record<string, unknown> =>
  convertFields(body, used);

function convertFields(
  values: Readonly<Record<string, unknown>>,
  used: UsedFields,
): Record<string, unknown> {
  const fresh: Record<string, unknown> = {};
  for (const [name, below] of used) {
    const value = ownValue(values, name);
    if (value === null || value === undefined || name === "__proto__") continue;
    fresh[name] =
      below === "whole" || typeof value !== "object" || Array.isArray(value)
        ? convert(value)
        : convertFields(value as Readonly<Record<string, unknown>>, below);
  }
  return fresh;
}

function convert(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== "object") return value;
  const fresh: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || inner === undefined || key === "__proto__") continue;
    fresh[key] = convert(inner);
  }
  return fresh;
}
