/**
 * The settings of mentions in Slack: a person, a group, everybody who is online, or the whole
 * channel. https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
 */
import { z } from "zod";
import type { SinkMention } from "../../model/sink.ts";
import { mentionOf, mentionTiming, type WrittenMention } from "../kind/mention-settings.ts";

const WHO = ["user", "group", "here", "channel"] as const;

const id = (pattern: RegExp, message: string, doc: string) =>
  z.string().regex(pattern, message).optional().describe(doc);
const always = (doc: string) => z.literal(true).optional().describe(doc);

const mentionSchema = z
  .strictObject({
    user: id(
      /^[UW][A-Z0-9]+$/,
      "must be the id of a member, like U0123456789 (profile, More, Copy member ID)",
      "Id of a member (U0123456789).",
    ),
    group: id(
      /^S[A-Z0-9]+$/,
      "must be the id of a user group, like S0123456789",
      "Id of a user group (S0123456789).",
    ),
    here: always("Everybody in the channel who is online. Requires `when`."),
    channel: always("Everybody in the channel. Requires `when`."),
    ...mentionTiming,
  })
  .superRefine((mention, context) => {
    const named = WHO.filter((key) => mention[key] !== undefined);
    if (named.length !== 1)
      return context.addIssue({
        code: "custom",
        message: "must name one of `user`, `group`, `here: true`, `channel: true`",
      });
    const [who = ""] = named;
    if ((who === "here" || who === "channel") && mention.when === undefined)
      context.addIssue({
        code: "custom",
        path: [who],
        message: 'needs a `when`, like "tweet.likes_count > 500", because it mentions many people',
      });
  });

/** The maximum number of entries in `mention`. More mentions would make a message unreadable. */
const MAX_MENTIONS = 10;

export const mentionList = z.array(mentionSchema).min(1).max(MAX_MENTIONS);

export type SlackMention = z.infer<typeof mentionSchema> & Pick<WrittenMention, "matches">;

export function slackMention(mention: SlackMention): SinkMention {
  const { user, group, here } = mention;
  if (user !== undefined) return mentionOf(`<@${user}>`, mention);
  if (group !== undefined) return mentionOf(`<!subteam^${group}>`, mention);
  return mentionOf(here === true ? "<!here>" : "<!channel>", mention);
}
