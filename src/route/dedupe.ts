/**
 * Computes the key that a `dedupe` setting gives an alert. Alerts with the same key count as
 * duplicates. Pure. The outbox knows which alerts were sent.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { Once } from "../model/poll-store.ts";
import type { Dedupe } from "./route.ts";
import { ownValue } from "../model/own-value.ts";

/** The parts of a key that are read from the post and not from the event's labels. */
const POST_PARTS = ["tweet", "text"];
/**
 * Texts with fewer characters, such as "good morning", are equal by chance, so they are not
 * compared.
 */
const MIN_TEXT = 20;
/**
 * The number of characters that are compared. Texts that agree in so many are copies, and a longer
 * key would only make the state larger.
 */
const TEXT_CHARS = 200;

/**
 * Returns the key under which an alert is sent only once. Undefined for an event that lacks a part
 * of the key, so that it is never a duplicate. A key with `tweet` or `text` applies only to events
 * of type `tweet.created`.
 */
export function onceBy(event: ChirpEvent, { key, windowMs }: Dedupe): Once | undefined {
  if (event.type !== "tweet.created" && key.some((part) => POST_PARTS.includes(part)))
    return undefined;
  const values = key.map((part) => partOf(event, part));
  if (values.includes("")) return undefined;
  const [only] = key;
  // Chats have this key by default. A `dedupe` with the same key counts alerts together with that
  // default.
  const isDefault = key.length === 1 && only === "tweet";
  const by = key.join(" and ");
  const text = JSON.stringify([event.type, ...key.map((part, index) => [part, values[index]])]);
  return {
    key: isDefault ? tweetKey(event) : text,
    withinMs: windowMs,
    ...(isDefault ? {} : { by }),
  };
}

/** Returns the key of a tweet, which is the same for all watches that find the tweet. */
export const tweetKey = ({ body, subject }: Pick<ChirpEvent, "body" | "subject">): string =>
  `tweet:${body.tweet?.id ?? subject}`;

function partOf(event: ChirpEvent, part: string): string {
  const { tweet } = event.body;
  if (part === "tweet") return tweetKey(event);
  if (part === "text") return plainText((tweet?.retweeted_status ?? tweet)?.full_text ?? "");
  // Use the id, because an account keeps it when it is renamed.
  if (part === "author") return tweet?.user?.id ?? event.labels["author"] ?? "";
  return ownValue(event.labels, part) ?? "";
}

/**
 * Returns the form of a text in which copies are equal: without case, links, mentions and extra
 * spaces; "" if the text is too short to compare.
 */
export function plainText(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/[@＠]\w+:?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return plain.length < MIN_TEXT ? "" : plain.slice(0, TEXT_CHARS);
}
