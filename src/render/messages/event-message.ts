/**
 * Provides the parts that all kinds of messages share: author, time, and matching watches. Each
 * kind of message has a file of its own for the rest.
 */
import type { MessageAuthor, NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { User } from "../../model/user.ts";
import { profileUrl } from "../text/permalink.ts";

export interface ReadContext {
  /** The host of permalinks, e.g. `https://x.com`. */
  readonly linksHost: string;
  /** The locale for numbers; English if absent. */
  readonly locale?: string | undefined;
  /** The time zone for times in sentences; UTC, which is then named, if absent. */
  readonly timezone?: string | undefined;
}

/** Returns the fields that are the same in every kind of message. */
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

/** Returns `Alice (@alice)`, or only the name or the handle if the account has only one of them. */
export function nameOf(user: Pick<User, "display_name" | "username" | "id">): string {
  if (user.username === "") return user.display_name || `account ${user.id}`;
  return user.display_name === ""
    ? `@${user.username}`
    : `${user.display_name} (@${user.username})`;
}
