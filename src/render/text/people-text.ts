/** A list of accounts as text. */
import type { PeopleList, Person } from "../../model/message.ts";
import { formatExact } from "./numbers.ts";

/** `Bob (@bob) · 12.3K followers`. */
export const personText = ({ name, note }: Person): string =>
  note === "" ? name : `${name} · ${note}`;

/** "+3 more"; empty where all are named. */
export const moreText = ({ more }: Pick<PeopleList, "more">): string =>
  more === 0 ? "" : `+${formatExact(more)} more`;

/** The same list with fewer names. */
export const shorterList = ({ people, more }: PeopleList, most: number): PeopleList => ({
  people: people.slice(0, most),
  more: more + Math.max(0, people.length - most),
});
