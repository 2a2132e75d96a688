/**
 * The message about a yes-or-no check whose answer changed, such as whether one account follows
 * another.
 */
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { User } from "../../model/user.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { communityUrl, tweetUrl } from "../text/permalink.ts";
import { valuesOf } from "./value-moves.ts";

type Values = ReturnType<typeof valuesOf>;

/**
 * Reads `body.user`, the account that is checked, and `body.membership`: the check, its answer, and
 * the account, post or community that the check asks about.
 */
export function membershipMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { user, target, membership: said } = event.event.body;
  if (user === undefined) return opsAlertMessage(event);
  const membership = valuesOf(said);
  const author = authorOf(user, linksHost);
  return {
    ...baseMessage(event),
    title: `${nameOf(user)} ${deedOf(membership, target)}`,
    author,
    body: "",
    url: urlOf(membership, linksHost) ?? author.url,
    facts: [],
  };
}

/**
 * Returns what the account did, for the title. `target` is the account that is followed, with its
 * current handle, if the check asks about an account.
 */
function deedOf(membership: Values, target: User | undefined): string {
  const { check, account, status } = membership;
  const choose = (isSo: Json | undefined, yes: string, no: string) => (isSo === true ? yes : no);
  if (check === "follow") {
    const named = typeof account === "string" ? accountText(account) : "the account";
    const whom = target === undefined || target.username === "" ? named : `@${target.username}`;
    return `${choose(membership["follow"], "now follows", "no longer follows")} ${whom}`;
  }
  if (check === "retweet")
    return choose(membership["retweet"], "reposted the post", "no longer reposts the post");
  if (check === "comment")
    return choose(
      membership["commented"],
      "replied to the post",
      "has no reply to the post any more",
    );
  if (check === "quoted")
    return status === "quoted"
      ? "quoted the post"
      : status === "retweet"
        ? "reposted the post"
        : "no longer quotes the post";
  return choose(membership["is_member"], "joined the community", "left the community");
}

/**
 * Returns an account as the YAML names it: by a handle or an id, with an @ before it, or by a link.
 */
const accountText = (account: string): string =>
  /^[A-Za-z0-9_]+$/.test(account) ? `@${account}` : account;

function urlOf({ tweet, community }: Values, linksHost: string): string | undefined {
  if (typeof tweet === "string") return tweetUrl(linksHost, "", tweet);
  return typeof community === "string" ? communityUrl(linksHost, community) : undefined;
}
