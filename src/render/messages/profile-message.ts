/**
 * The message about a profile that changed: a new handle first, then the other new values beside
 * the old ones, and counts that crossed a threshold.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { User } from "../../model/user.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import {
  beforeFacts,
  changedLines,
  changedMoves,
  crossedMoves,
  crossedText,
  joinWords,
  type Move,
  valueText,
} from "./value-moves.ts";

const COUNTS = {
  followers_count: "followers",
  followings_count: "accounts followed",
  tweets_count: "posts",
  media_count: "media posted",
  favourites_count: "posts liked",
};
const FIELDS = {
  username: "handle",
  display_name: "name",
  description: "bio",
  profile_image_url: "picture",
  profile_background_image_url: "banner",
  location: "location",
  protected: "protected",
  verified: "verified",
};
const PICTURES = ["profile_image_url", "profile_background_image_url"];

/**
 * Reads from the event's body `user`, the current profile, `previous`, the values before, and the
 * names in `changed` or `crossed`.
 */
export function profileMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const crossed = crossedMoves(body, "user", COUNTS);
  const changed = changedMoves(body, "user", FIELDS);
  return {
    ...baseMessage(event),
    title:
      changed.length > 0
        ? changeTitle(user, changed)
        : `${nameOf(user)} ${crossedText(crossed) || "is watched"}`,
    author,
    // Leave out the old addresses of pictures, which mean nothing to readers.
    body: changedLines(changed.filter(({ name }) => !PICTURES.includes(name))),
    url: author.url,
    media: changed.flatMap(({ name, now }) =>
      PICTURES.includes(name) && typeof now === "string" ? [{ url: now, kind: "photo" }] : [],
    ),
    facts: beforeFacts(crossed),
  };
}

function changeTitle(user: User, changed: readonly Move[]): string {
  const rename = changed.find(({ name }) => name === "username");
  if (rename !== undefined) {
    const others = changed.filter((move) => move !== rename);
    return `@${valueText(rename.before)} is now @${user.username}${others.length === 0 ? "" : `, with a new ${nounsOf(others)}`}`;
  }
  const [only] = changed;
  if (changed.length === 1 && typeof only?.now === "boolean")
    return `${nameOf(user)} ${flagText(only)}`;
  return `${nameOf(user)} changed ${nounsOf(changed)}`;
}

const nounsOf = (changed: readonly Move[]): string => joinWords(changed.map(({ noun }) => noun));

function flagText({ name, now }: Move): string {
  if (name === "protected")
    return now === true ? "is protected now: its posts are private" : "is public again";
  return now === true ? "is verified now" : "is no longer verified";
}
