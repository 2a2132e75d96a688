/** Formats a message's list of accounts or posts as text. */
import type { LinkList, Person } from "../../model/message.ts";
import { formatExact } from "./numbers.ts";

/** Returns `Bob (@bob) · 12.3K followers`. */
export const personText = ({ name, note }: Person): string =>
  note === "" ? name : `${name} · ${note}`;

/** Returns "+3 more" for the accounts that the list does not name; empty if it names all. */
export const moreText = ({ more }: Pick<LinkList, "more">): string =>
  more === 0 ? "" : `+${formatExact(more)} more`;

/**
 * Returns the list cut to its first `most` entries. The field `more` then counts the removed ones
 * too.
 */
export const shorterList = (list: LinkList, most: number): LinkList => ({
  ...list,
  people: list.people.slice(0, most),
  more: list.more + Math.max(0, list.people.length - most),
});
