/**
 * Derives the time of an item from its id, for items whose time is missing or cannot be read
 * (docs/service.md, section 2).
 */
import { isoTime } from "../../model/clock.ts";
import { timeOfTweetId } from "../../model/id.ts";

const MAX_ID_DIGITS = 20;

/** Returns the time in ISO 8601 UTC; "" if the id is empty or too long. */
export const timeFromId = (id: string): string =>
  id === "" || id.length > MAX_ID_DIGITS ? "" : isoTime(timeOfTweetId(id));
