/**
 * Which alerts are alike, by the key of a `dedupe`. Pure; which of them were sent is the outbox's
 * to know.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { Once } from "../model/poll-store.ts";
import type { Dedupe } from "./route.ts";
import { ownValue } from "../model/own-value.ts";

/** Parts of a key that are of the post, not of its labels. */
const POST_PARTS = ["tweet", "text"];
/** Shorter texts are alike by chance: "good morning". */
const SHORTEST_TEXT = 20;
/** Longer ones that begin alike are copies; more would only make the state larger. */
const TEXT_CHARS = 200;

/**
 * Undefined for an event that lacks a part of the key: it is like no other. With `tweet` or `text`,
 * only posts that were found count.
 */
export function onceBy(event: ChirpEvent, { key, windowMs }: Dedupe): Once | undefined {
  if (event.type !== "tweet.created" && key.some((part) => POST_PARTS.includes(part)))
    return undefined;
  const values = key.map((part) => partOf(event, part));
  if (values.includes("")) return undefined;
  const [only] = key;
  // The default of chats: a route that writes it out shares its memory.
  const isDefault = key.length === 1 && only === "tweet";
  const by = key.join(" and ");
  const text = JSON.stringify([event.type, ...key.map((part, index) => [part, values[index]])]);
  return {
    key: isDefault ? tweetKey(event) : text,
    withinMs: windowMs,
    ...(isDefault ? {} : { by }),
  };
}

/** One tweet, whichever watch found it. */
export const tweetKey = ({ body, subject }: Pick<ChirpEvent, "body" | "subject">): string =>
  `tweet:${body.tweet?.id ?? subject}`;

function partOf(event: ChirpEvent, part: string): string {
  const { tweet } = event.body;
  if (part === "tweet") return tweetKey(event);
  if (part === "text") return plainText((tweet?.retweeted_status ?? tweet)?.full_text ?? "");
  // An account keeps its id when it is renamed.
  if (part === "author") return tweet?.user?.id ?? event.labels["author"] ?? "";
  return ownValue(event.labels, part) ?? "";
}

/**
 * What copies have in common: without case, links, mentions and spaces. "" for what is too short to
 * say anything.
 */
export function plainText(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/[@＠]\w+:?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return plain.length < SHORTEST_TEXT ? "" : plain.slice(0, TEXT_CHARS);
}
