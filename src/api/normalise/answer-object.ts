/**
 * Answers that are one object: which fields they promise, and how each is read. Rows of the
 * endpoint table are built from these.
 */
import type { Json } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import { unusable } from "../parse-body.ts";
import {
  isRaw,
  type Raw,
  readCount,
  readFlag,
  readId,
  readNumber,
  readText,
  readTime,
} from "../read-value.ts";
import { normaliseTweet } from "./tweet.ts";
import { normaliseEmbeddedUser, normaliseProfile } from "./user.ts";

/**
 * Reads one field; undefined leaves it out. `raw` is the whole object, for aliases. @throws
 * UpstreamError when a promised field is not there.
 */
export type FieldReader<T> = (value: unknown, name: string, raw: Raw) => T;
type Fields = Readonly<Record<string, FieldReader<Json | undefined>>>;

/** The object that these readers make; unknown fields stay. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> } & {
  readonly [name: string]: Json | undefined;
};

/** Builds a reader of whole answers from readers of their fields. */
export const recordOf =
  <const F extends Fields>(fields: F) =>
  (raw: Raw): RecordOf<F> => {
    const record: Record<string, Json | undefined> = { ...raw };
    for (const [name, read] of Object.entries(fields)) {
      const value = read(raw[name], name, raw);
      if (value === undefined) delete record[name];
      else record[name] = value;
    }
    return record as RecordOf<F>;
  };

export const text: FieldReader<string> = (value) => readText(value);
export const count: FieldReader<number> = (value) => readCount(value);
/** A number, also with a fraction; null when the service knows none: never 0. */
export const numberOrNull: FieldReader<number | null> = (value) => readNumber(value) ?? null;
export const flag: FieldReader<boolean> = (value) => readFlag(value) ?? false;
/** ISO 8601 UTC, "" when it cannot be read. */
export const time: FieldReader<string> = (value) => readTime(value);
export const user: FieldReader<User> = (value) => normaliseEmbeddedUser(value);
export const optionalTweet: FieldReader<Tweet | undefined> = (value) =>
  isRaw(value) ? normaliseTweet(value) : undefined;

/** The answer itself: without it there is no answer. */
export const promisedFlag: FieldReader<boolean> = (value, name) => readFlag(value) ?? missing(name);
export const promisedText: FieldReader<string> = (value, name) => readText(value) || missing(name);
export const promisedId: FieldReader<string> = (value, name) => readId(value) || missing(name);

/** The first of several names that is there. */
export const either =
  <T>(read: FieldReader<T>, ...aliases: readonly string[]): FieldReader<T> =>
  (value, name, raw) =>
    read(
      value ??
        aliases.map((alias) => raw[alias]).find((other) => other !== undefined && other !== null),
      name,
      raw,
    );

/** An array of objects; null is an empty one. */
export const listOf =
  <T>(read: (raw: Raw) => T): FieldReader<readonly T[]> =>
  (value) =>
    Array.isArray(value) ? value.filter(isRaw).map(read) : [];

/** An array that must be there: an answer without it says nothing. Null is an empty one. */
export const promisedListOf =
  <T>(read: (raw: Raw) => T): FieldReader<readonly T[]> =>
  (value, name, raw) =>
    value === null || Array.isArray(value) ? listOf(read)(value, name, raw) : missing(name);

/** An object in an object; its fields are neutral where it is not there. */
export const part =
  <T>(read: (raw: Raw) => T): FieldReader<T> =>
  (value) =>
    read(isRaw(value) ? value : {});

/** A whole answer that is one profile. @throws UpstreamError `transient` without an id. */
export function userRecord(raw: Raw): User {
  const found = normaliseProfile(raw);
  return found.id === "" ? missing("id") : found;
}

/** A whole answer that is one tweet. @throws UpstreamError `transient` without an id. */
export function tweetRecord(raw: Raw): Tweet {
  const found = normaliseTweet(raw);
  return found.id === "" ? missing("id") : found;
}

function missing(name: string): never {
  throw unusable(`the answer has no usable "${name}"`);
}
