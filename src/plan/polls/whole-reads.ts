/**
 * How long a member list is, as a target remembers it, and how often one that reports only who
 * joined is read whole. Pure.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Subscriber } from "../poll.ts";
import { ownValue } from "../../model/own-value.ts";

const DAY_MS = 86_400_000;
/**
 * Longer lists are read whole once, and not every day, unless the watch says so: that takes 500
 * requests and more.
 */
const LARGE_LIST = 100_000;
/** docs/service.md section 1. */
export const MEMBERS_PER_PAGE = 200;

/**
 * The field of an account's profile that counts what its list holds; undefined of lists that no
 * profile counts.
 */
const LENGTH_FIELDS: Readonly<Record<string, "followers_count" | "followings_count">> = {
  followers: "followers_count",
  follows: "followings_count",
};

export const lengthField = (endpoint: string): "followers_count" | "followings_count" | undefined =>
  ownValue(LENGTH_FIELDS, endpoint);

/** By the last read of all of it, or else by the profile; undefined where neither is known. */
export function memberCountOf(memory: JsonObject): number | undefined {
  const { pages, size } = memory;
  if (typeof pages === "number") return pages * MEMBERS_PER_PAGE;
  return typeof size === "number" ? size : undefined;
}

/** Members that the first read of the whole list has seen, while it goes on. */
export const readSoFar = ({ read_members: read }: JsonObject): number | undefined =>
  typeof read === "number" ? read : undefined;

/**
 * Of several subscribers the one that wants it most often; infinite: never, but for the first time.
 */
export function wholeReadEveryMs(
  subscribers: readonly Pick<Subscriber, "watch">[],
  members: number,
): number {
  const usualMs = members > LARGE_LIST ? Number.POSITIVE_INFINITY : DAY_MS;
  return Math.min(...subscribers.map(({ watch }) => watch.fullReadEveryMs ?? usualMs));
}
