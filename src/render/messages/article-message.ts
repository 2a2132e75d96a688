/**
 * The message about an article that was edited or whose counts crossed a threshold: the author,
 * what happened, and the article's preview.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { tweetUrl } from "../text/permalink.ts";
import {
  beforeFacts,
  changedMoves,
  crossedMoves,
  crossedText,
  joinWords,
  valuesOf,
} from "./value-moves.ts";

const COUNTS = {
  favorite_count: "likes",
  retweet_count: "reposts",
  reply_count: "replies",
  quote_count: "quotes",
  bookmark_count: "bookmarks",
  views: "views",
};
const TEXTS = { full_text: "the text", preview_text: "the preview", cover_image_url: "the cover" };

/**
 * Reads `body.user`, the author, and `body.article`. The event's subject is the id of the tweet
 * that contains the article.
 */
export function articleMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body, subject } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const article = valuesOf(body["article"]);
  const crossed = crossedMoves(body, "article", COUNTS);
  const changed = changedMoves(body, "article", TEXTS);
  const cover = article["cover_image_url"];
  const deeds = [
    ...(changed.length === 0 ? [] : [`was edited (${joinWords(changed.map(({ noun }) => noun))})`]),
    ...(crossed.length === 0 ? [] : [crossedText(crossed)]),
  ];
  return {
    ...baseMessage(event),
    title: `An article by ${nameOf(user)} ${joinWords(deeds) || "is watched"}`,
    author: authorOf(user, linksHost),
    body: typeof article["preview_text"] === "string" ? article["preview_text"] : "",
    url: tweetUrl(linksHost, user.username, subject),
    media: typeof cover === "string" && cover !== "" ? [{ url: cover, kind: "photo" }] : [],
    facts: beforeFacts(crossed),
  };
}
