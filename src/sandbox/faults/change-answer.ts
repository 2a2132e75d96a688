/**
 * Changes to answers that faults use: to lists, items and cursors. kinds.ts decides which fault
 * makes which change.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Answer, Call } from "../calls/call.ts";
import { badRequest } from "../calls/service-error.ts";

const listName = (answer: Answer): "tweets" | "users" | undefined =>
  (["tweets", "users"] as const).find((name) => Array.isArray(answer.body[name]));

/** Returns the items of an answer that is a list; none if the answer is a single object. */
export function itemsOf(answer: Answer): readonly JsonObject[] {
  const name = listName(answer);
  return name === undefined ? [] : (answer.body[name] as readonly JsonObject[]);
}

export function onList(answer: Answer, change: (items: readonly JsonObject[]) => Json): Answer {
  const name = listName(answer);
  return name === undefined
    ? answer
    : { ...answer, body: { ...answer.body, [name]: change(itemsOf(answer)) } };
}

export function withoutList(answer: Answer): Answer {
  const name = listName(answer);
  return name === undefined
    ? { body: {} }
    : { ...answer, body: { ...answer.body, [name]: undefined } };
}

/** Changes every item of an answer that is a list, or the object of any other answer. */
export function onItems(answer: Answer, change: (item: JsonObject) => JsonObject): Answer {
  if (listName(answer) === undefined) return { ...answer, body: change(answer.body) };
  return onList(answer, (items) => items.map(change));
}

export function oddFields(item: JsonObject): JsonObject {
  const { description: _d, lang: _l, media_count: _m, is_quote_status: _q, ...rest } = item;
  return {
    ...rest,
    rest_id_v4: "x",
    nested: { deeper: [1, null] },
    bio_urls: null,
    bookmark_count: null,
  };
}

/**
 * Lowers counts by up to 3 in every other second, as if the answer came from a replica that is
 * behind.
 */
export function flap(call: Call, item: JsonObject): JsonObject {
  const isOld = Math.floor(call.nowMs / 1_000) % 2 === 0;
  const lower = (value: Json | undefined): Json | undefined =>
    isOld && typeof value === "number" ? Math.max(0, value - 3) : value;
  const counts = ["tweets_count", "followers_count", "likes_count", "week_delta"].filter(
    (name) => item[name] !== undefined,
  );
  return { ...item, ...Object.fromEntries(counts.map((name) => [name, lower(item[name])])) };
}

export const withCursor = (answer: Answer, cursor: string): Answer =>
  listName(answer) === undefined ? answer : { body: { ...answer.body, next_cursor: cursor } };

/**
 * Makes the answer send its cursor as a JSON number if the cursor consists of digits. The cursors
 * of follower and member lists are so large that most JSON parsers round them.
 */
export function bareNumberCursor(answer: Answer): Answer {
  const { next_cursor: cursor, ...body } = answer.body;
  return typeof cursor === "string" && /^\d+$/.test(cursor)
    ? { body, numberCursor: cursor }
    : answer;
}

/**
 * Replaces the next cursor by the one that the client sent, so that the next page is the same
 * again. A first page is not changed.
 */
export function sameCursor(call: Call, answer: Answer): Answer {
  return call.cursor === undefined ? answer : withCursor(answer, call.cursor);
}

export function withEnd(answer: Answer, end: Json | undefined): Answer {
  return answer.body["next_cursor"] === null
    ? { body: { ...answer.body, next_cursor: end } }
    : answer;
}

/**
 * Removes the items of a page. Its next cursor leads to the same page again, which then has its
 * items. A first page keeps its own next cursor, because no cursor leads to a first page.
 */
export function emptyPage(call: Call, answer: Answer): Answer {
  if (listName(answer) === undefined) return answer;
  const emptied = onList(answer, () => []);
  return call.cursor === undefined ? emptied : withCursor(emptied, call.cursor);
}

export function refuseCursor(call: Call, answer: Answer): Answer {
  if (call.cursor !== undefined) throw badRequest("next_cursor expired");
  return answer;
}
