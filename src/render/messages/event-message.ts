/**
 * What every message has in common, whoever reads it aloud: who, when, which watches. The rest is
 * the kind's own file.
 */
import type { MessageAuthor, NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { User } from "../../model/user.ts";
import { profileUrl } from "../text/permalink.ts";

export interface ReadContext {
  /** Host of permalinks, e.g. `https://x.com`. */
  readonly linksHost: string;
  /** How numbers are written; English where absent. */
  readonly locale?: string;
}

/** The fields that no kind of message has a word of its own for. */
export function baseMessage({
  event,
  watches,
}: OutboxEvent): Pick<NeutralMessage, "media" | "facts" | "occurredAtMs" | "watches" | "severity"> {
  return {
    media: [],
    facts: [],
    occurredAtMs: event.occurredAtMs,
    watches,
    severity: event.labels["severity"] ?? "info",
  };
}

export const authorOf = (user: User, linksHost: string): MessageAuthor => ({
  name: user.display_name || user.username || user.id,
  handle: user.username,
  url: profileUrl(linksHost, user.username, user.id),
  avatarUrl: user.profile_image_url,
});

/** `Alice (@alice)`; whichever half is missing is left out. */
export function nameOf(user: Pick<User, "display_name" | "username" | "id">): string {
  if (user.username === "") return user.display_name || `account ${user.id}`;
  return user.display_name === ""
    ? `@${user.username}`
    : `${user.display_name} (@${user.username})`;
}
