/**
 * Builds readers for answers that are one object. A reader says which fields are required, and how
 * each field is read. The endpoint table uses these readers.
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
 * Reads one field. If it returns undefined, the field is left out. `raw` is the whole object, in
 * which the field may have another name. @throws UpstreamError if a required field is missing
 */
export type FieldReader<T> = (value: unknown, name: string, raw: Raw) => T;
type Fields = Readonly<Record<string, FieldReader<Json | undefined>>>;

/** The object that the readers in `F` produce, together with all unknown fields of the answer. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> } & {
  readonly [name: string]: Json | undefined;
};

/** Builds a reader of a whole answer from the readers of its fields. */
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
/**
 * Reads a number, which may have a fraction. If the value is not a number, returns null and not 0,
 * because 0 would be a fact.
 */
export const numberOrNull: FieldReader<number | null> = (value) => readNumber(value) ?? null;
export const flag: FieldReader<boolean> = (value) => readFlag(value) ?? false;
/** Reads a time as ISO 8601 UTC; "" if it cannot be read. */
export const time: FieldReader<string> = (value) => readTime(value);
export const user: FieldReader<User> = (value) => normaliseEmbeddedUser(value);
export const optionalTweet: FieldReader<Tweet | undefined> = (value) =>
  isRaw(value) ? normaliseTweet(value) : undefined;

/** Reads a flag without which the answer is unusable. */
export const requiredFlag: FieldReader<boolean> = (value, name) => readFlag(value) ?? missing(name);
export const requiredText: FieldReader<string> = (value, name) => readText(value) || missing(name);
export const requiredId: FieldReader<string> = (value, name) => readId(value) || missing(name);

/** Reads a field under its own name, or under the first alias that is present. */
export const withAliases =
  <T>(read: FieldReader<T>, ...aliases: readonly string[]): FieldReader<T> =>
  (value, name, raw) =>
    read(
      value ??
        aliases.map((alias) => raw[alias]).find((other) => other !== undefined && other !== null),
      name,
      raw,
    );

/** Reads an array of objects. Any other value becomes an empty array. */
export const listOf =
  <T>(read: (raw: Raw) => T): FieldReader<readonly T[]> =>
  (value) =>
    Array.isArray(value) ? value.filter(isRaw).map(read) : [];

/**
 * Reads a required array of objects. Null becomes an empty array. If there is neither an array nor
 * null, the answer is unusable.
 */
export const requiredListOf =
  <T>(read: (raw: Raw) => T): FieldReader<readonly T[]> =>
  (value, name, raw) =>
    value === null || Array.isArray(value) ? listOf(read)(value, name, raw) : missing(name);

/** Reads a nested object. If it is missing, its fields get neutral values such as "" and 0. */
export const nested =
  <T>(read: (raw: Raw) => T): FieldReader<T> =>
  (value) =>
    read(isRaw(value) ? value : {});

/** Reads an answer that is one profile. @throws UpstreamError `transient` if it has no id */
export function userRecord(raw: Raw): User {
  const found = normaliseProfile(raw);
  return found.id === "" ? missing("id") : found;
}

/** Reads an answer that is one tweet. @throws UpstreamError `transient` if it has no id */
export function tweetRecord(raw: Raw): Tweet {
  const found = normaliseTweet(raw);
  return found.id === "" ? missing("id") : found;
}

function missing(name: string): never {
  throw unusable(`the answer has no usable "${name}"`);
}
