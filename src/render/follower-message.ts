/** How a follower who came or went reads: who, whom, and what makes them worth a look. */
import type { NeutralMessage } from "../model/message.ts";
import type { OutboxEvent } from "../model/sink.ts";
import type { User } from "../model/user.ts";
import { plainTweetText } from "./clean-text.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { noticeMessage } from "./notice-message.ts";
import { formatCount } from "./numbers.ts";

/** Reads `body.user`, the follower, and `body.target`, the watched account; a target that is missing goes by its label. */
export function followerMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { user, target } = event.event.body;
  if (user === undefined) return noticeMessage(event);
  const author = authorOf(user, linksHost);
  return {
    ...baseMessage(event),
    title: titleOf(
      event.event.type,
      target?.username ? `@${target.username}` : (event.event.labels["target"] ?? "the account"),
      nameOf(user),
    ),
    author,
    body: plainTweetText(user.description),
    url: author.url,
    facts: factsOf(user),
  };
}

function titleOf(type: string, target: string, follower: string): string {
  return type === "follower.removed" ? `${target} lost a follower: ${follower}` : `${target} has a new follower: ${follower}`;
}

function factsOf(user: User): NeutralMessage["facts"] {
  return [
    { name: "Followers", value: formatCount(user.followers_count) },
    { name: "Following", value: formatCount(user.followings_count) },
    ...(user.created_at === "" ? [] : [{ name: "Joined", value: user.created_at.slice(0, 10) }]),
    ...(user.verified ? [{ name: "Verified", value: "yes" }] : []),
  ];
}
