/**
 * The time that an id carries, for items that came without one that can be read (docs/service.md
 * section 2).
 */
import { isoTime } from "../../model/clock.ts";
import { timeOfTweetId } from "../../model/id.ts";

const LONGEST_ID = 20;

/** ISO 8601 UTC; "" when the id is none. */
export const timeFromId = (id: string): string =>
  id === "" || id.length > LONGEST_ID ? "" : isoTime(timeOfTweetId(id));
