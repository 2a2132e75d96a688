/**
 * The message about an account that joined or left a member list: who, which list, and what makes
 * the account interesting.
 */
import type { ChirpEvent, EventBody } from "../../model/event.ts";
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { User } from "../../model/user.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { formatCompact, formatExact } from "../text/numbers.ts";
import { communityUrl, listUrl, tweetUrl } from "../text/permalink.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * The sentence for each event type. `place` names the account, list, community, post or search that
 * is watched.
 */
const SENTENCES: Readonly<Record<string, (who: string, place: string) => string>> = {
  "follower.added": (who, place) => `${place} has a new follower: ${who}`,
  "follower.removed": (who, place) => `${place} lost a follower: ${who}`,
  "following.added": (who, place) => `${place} began following ${who}`,
  "following.removed": (who, place) => `${place} no longer follows ${who}`,
  "member.added": (who, place) => `${who} joined ${place}`,
  "member.removed": (who, place) => `${who} left ${place}`,
  "retweeter.added": (who, place) => `${who} reposted ${place}`,
  "user.found": (who, place) => `${who} matches ${place}`,
  "top_follower.entered": (who, place) => `${who} is now among the top followers of ${place}`,
  "top_follower.left": (who, place) => `${who} is no longer among the top followers of ${place}`,
  "top_following.entered": (who, place) =>
    `${who} is now among the top accounts that ${place} follows`,
  "top_following.left": (who, place) =>
    `${who} is no longer among the top accounts that ${place} follows`,
};

/**
 * The sentence for each event type if one message is about several accounts. A list below the
 * sentence names the accounts.
 */
const SENTENCES_OF_MANY: Readonly<Record<string, (count: string, place: string) => string>> = {
  "follower.added": (count, place) => `${count} new followers of ${place}`,
  "follower.removed": (count, place) => `${count} accounts no longer follow ${place}`,
  "following.added": (count, place) => `${place} began following ${count} accounts`,
  "following.removed": (count, place) => `${place} no longer follows ${count} accounts`,
  "member.added": (count, place) => `${count} accounts joined ${place}`,
  "member.removed": (count, place) => `${count} accounts left ${place}`,
  "retweeter.added": (count, place) => `${count} accounts reposted ${place}`,
  "user.found": (count, place) => `${count} accounts match ${place}`,
  "top_follower.entered": (count, place) =>
    `${count} accounts are now among the top followers of ${place}`,
  "top_follower.left": (count, place) =>
    `${count} accounts are no longer among the top followers of ${place}`,
  "top_following.entered": (count, place) =>
    `${count} accounts are now among the top accounts that ${place} follows`,
  "top_following.left": (count, place) =>
    `${count} accounts are no longer among the top accounts that ${place} follows`,
};

/**
 * Whether this event can share a message with other events of its type: one sentence and a list.
 */
export const isAboutPeople = ({ type, body }: Pick<ChirpEvent, "type" | "body">): boolean =>
  ownValue(SENTENCES_OF_MANY, type) !== undefined && body.user !== undefined;

/**
 * Returns the sentence for `count` accounts of one list, such as "15 new followers of @acme". The
 * second parameter is any of their events.
 */
export function peopleSentence(
  count: number,
  { type, body, labels }: Pick<ChirpEvent, "type" | "body" | "labels">,
): string {
  const place = placeOf(body, "")?.name ?? labels["target"] ?? "the list";
  return capitalised(ownValue(SENTENCES_OF_MANY, type)?.(formatExact(count), place) ?? "");
}

/**
 * Reads `body.user`, the account that joined or left, and the place that is watched: `body.target`,
 * an account, or `public_list`, `community`, `retweeted` or `search`. If the body has no place, the
 * label `target` is used.
 */
export function rosterMessage(
  event: OutboxEvent,
  { linksHost, locale }: ReadContext,
): NeutralMessage {
  const { type, body, labels } = event.event;
  const { user } = body;
  if (user === undefined) return opsAlertMessage(event);
  const author = authorOf(user, linksHost);
  const place = placeOf(body, linksHost) ?? { name: labels["target"] ?? "the list" };
  const sentence = ownValue(SENTENCES, type) ?? ((who: string) => `${type}: ${who}`);
  return {
    ...baseMessage(event),
    title: `${capitalised(sentence(nameOf(user), place.name))}${changesText(event)}`,
    author,
    body: user.description ?? "",
    url: author.url,
    ...(place.url === undefined
      ? {}
      : { context: { label: capitalised(place.name), body: "", url: place.url } }),
    facts: factsOf(user, locale),
  };
}

const changesText = ({ changes = 1 }: OutboxEvent): string =>
  changes === 1 ? "" : `, the last of ${changes} changes since the alert before`;

interface Place {
  readonly name: string;
  /** The link to a list, a community or a post. Absent if the place is an account or a search. */
  readonly url?: string;
}

function placeOf(body: EventBody, linksHost: string): Place | undefined {
  const { target } = body;
  const list = textIn(body["public_list"], "id");
  const community = textIn(body["community"], "id");
  const retweeted = textIn(body["retweeted"], "id");
  const query = textIn(body["search"], "query");
  if (target !== undefined && target.username !== "") return { name: `@${target.username}` };
  if (list !== undefined) return { name: `the list ${list}`, url: listUrl(linksHost, list) };
  if (community !== undefined)
    return { name: `the community ${community}`, url: communityUrl(linksHost, community) };
  if (retweeted !== undefined)
    return { name: `the post ${retweeted}`, url: tweetUrl(linksHost, "", retweeted) };
  return query === undefined ? undefined : { name: `the search "${query}"` };
}

function textIn(value: Json | undefined, name: string): string | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const text = (value as { readonly [name: string]: Json | undefined })[name];
  return typeof text === "string" && text !== "" ? text : undefined;
}

const capitalised = (text: string): string => text.replace(/^the /, "The ");

/**
 * Returns the facts that are known. The service's member lists have few fields, and the daemon
 * stores few fields of accounts that left.
 */
function factsOf(known: Partial<User>, locale: string | undefined): NeutralMessage["facts"] {
  const {
    followers_count: followers,
    followings_count: followings,
    created_at: createdAt = "",
    verified,
  } = known;
  const score = known["score"];
  return [
    ...(typeof score === "number" ? [{ name: "Score", value: formatCompact(score, locale) }] : []),
    ...(followers === undefined
      ? []
      : [{ name: "Followers", value: formatCompact(followers, locale) }]),
    ...(followings === undefined
      ? []
      : [{ name: "Following", value: formatCompact(followings, locale) }]),
    ...(createdAt === "" ? [] : [{ name: "Joined", value: createdAt.slice(0, 10) }]),
    ...(verified === true ? [{ name: "Verified", value: "yes" }] : []),
  ];
}
