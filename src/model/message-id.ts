/** Makes the ids of messages. */
import type { Random } from "./random.ts";

const TIME_CHARS = 9;
const RANDOM_CHARS = 13;

/**
 * Returns a new id of 22 characters: the time in milliseconds in base 36, then 13 random
 * characters. Ids of the same time have the same beginning, so a commit of several messages
 * changes one or two pages of an index of ids, and not one for each message.
 */
export const newMessageId = (random: Random, nowMs: number): string =>
  nowMs.toString(36).padStart(TIME_CHARS, "0") + random.id().slice(-RANDOM_CHARS);
