/**
 * Computes the length of a member list from a target's memory, and how often a list that only
 * reports new members is read completely. Pure.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Subscriber } from "../poll.ts";
import { ownValue } from "../../model/own-value.ts";

const DAY_MS = 86_400_000;
/**
 * Lists with more members than this are read completely once, not every day, unless the watch sets
 * `full_read_every`, because each read takes 500 requests or more.
 */
const LARGE_LIST = 100_000;
/** The page size in docs/service.md section 1. */
export const MEMBERS_PER_PAGE = 200;

/**
 * The field of an account's profile that counts the members of its list; undefined for lists that
 * no profile counts.
 */
const LENGTH_FIELDS: Readonly<Record<string, "followers_count" | "followings_count">> = {
  followers: "followers_count",
  follows: "followings_count",
};

export const lengthField = (endpoint: string): "followers_count" | "followings_count" | undefined =>
  ownValue(LENGTH_FIELDS, endpoint);

/**
 * Returns the number of members by the last complete read, or otherwise by the profile; undefined
 * if neither is known.
 */
export function memberCountOf(memory: JsonObject): number | undefined {
  const { pages, size } = memory;
  if (typeof pages === "number") return pages * MEMBERS_PER_PAGE;
  return typeof size === "number" ? size : undefined;
}

/**
 * Returns how many members the first complete read has seen so far; undefined if none is under way.
 */
export const readSoFar = ({ read_members: read }: JsonObject): number | undefined =>
  typeof read === "number" ? read : undefined;

/**
 * Returns the shortest interval of complete reads that a subscriber configures, or the default for
 * the list's length. Infinite means that the list is read only once, at the start.
 */
export function wholeReadEveryMs(
  subscribers: readonly Pick<Subscriber, "watch">[],
  members: number,
): number {
  const usualMs = members > LARGE_LIST ? Number.POSITIVE_INFINITY : DAY_MS;
  return Math.min(...subscribers.map(({ watch }) => watch.fullReadEveryMs ?? usualMs));
}
