/** Chooses the tags of forum posts, and names posts and threads. */
import { z } from "zod";
import type { ChirpEvent } from "../../model/event.ts";
import { kindOfTweet, type TweetKind } from "../../model/tweet.ts";
import { discordPlain } from "../../render/discord-text.ts";
import type { Card } from "../../render/people.ts";
import { spellOut } from "../../model/template.ts";
import type { Matches } from "../kind/sink-type.ts";

/**
 * The maximum number of tags of one forum post.
 * https://discord.com/developers/docs/resources/channel#start-thread-in-forum-or-media-channel
 */
const MAX_APPLIED_TAGS = 5;
/**
 * The maximum number of tags of a forum.
 * https://discord.com/developers/docs/resources/channel#channel-object
 */
const MAX_TAGS = 20;

const tag = z.string().trim().min(1).max(20);
const CONDITIONAL = z.strictObject({
  tag: z.string().trim().min(1).max(21).describe("Name or id of the tag."),
  when: z.string().describe("Condition on the event, written like `where`."),
});

export const tagsSchema = z
  .array(z.union([z.string().regex(/^\d{1,21}$/), tag, CONDITIONAL]))
  .max(MAX_TAGS)
  .default([])
  .describe(
    "Tags of every post, by name (bots only) or id; { tag, when } tags only posts about matching events. A post gets the first five.",
  );

export interface TagRule {
  readonly tag: string;
  readonly when?: string | undefined;
  readonly matches?: Matches;
}

export const isTagId = (text: string): boolean => /^\d{1,21}$/.test(text);

export const tagRule = (written: string | TagRule): TagRule =>
  typeof written === "string" ? { tag: written } : written;

/**
 * Returns the tags of a forum post about these events: those without a condition, and those whose
 * condition is true for at least one event.
 */
export function tagsOf(
  rules: readonly TagRule[],
  events: readonly Pick<ChirpEvent, "body" | "labels">[],
): readonly string[] {
  const fitting = rules.filter(
    ({ when, matches }) =>
      when === undefined || events.some(({ body, labels }) => matches?.(body, labels) === true),
  );
  return [...new Set(fitting.map((rule) => rule.tag))].slice(0, MAX_APPLIED_TAGS);
}

const NAME_CHARS = 90;
const LINK = /https?:\/\/\S+/g;
const MENTION = /(^|[^\w@])[@＠]\w+/g;
/**
 * Matches characters that format text in Discord. An underscore inside a word does not format, so
 * it does not match.
 */
const MARKUP = /[*~`|>]+|^\s*[-#]+\s+|(?<!\w)_+|_+(?!\w)/gm;
const KINDS: Readonly<Record<TweetKind, string>> = {
  post: "Post",
  reply: "Reply",
  quote: "Quote",
  retweet: "Repost",
};

/**
 * Returns the name of a forum post: the first words of the alert's post, without markup, mentions
 * and links. If no words remain, the name says the kind of post and its author. Alerts about
 * anything but a new post, and alerts with a title from a template, are named by their title.
 */
export function postName({ events: [{ event, wording }], message }: Card): string {
  const { title, body, author } = message;
  const named = (text: string) => discordPlain(text.replace(/\s+/g, " ").trim(), NAME_CHARS);
  if (
    spellOut(wording?.title ?? []).trim() !== "" ||
    event.body.tweet === undefined ||
    event.type !== "tweet.created"
  )
    return named(title);
  const words = named(body.replace(LINK, " ").replace(MENTION, "$1").replace(MARKUP, ""));
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words)
    ? words
    : named(`${KINDS[kindOfTweet(event.body.tweet)]} by ${author?.name ?? "somebody"}`);
}
