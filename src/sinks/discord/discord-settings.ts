/** The settings of the Discord sink. */
import { z } from "zod";
import { allowPrivateChatSetting } from "../kind/address-settings.ts";
import { actionsSchema, ONLY_BOTS_RECEIVE_CLICKS } from "../kind/action-buttons.ts";
import { addIssue, addressProblem, apiUrl } from "../kind/chat-settings.ts";
import { mentionTiming, type WrittenMention } from "../kind/mention-settings.ts";
import {
  FOLLOW_UP_ALONE,
  followUpSchema,
  ONLY_BOTS_EDIT,
  updateSchema,
} from "../kind/update-settings.ts";
import { NEW_THREAD } from "./discord-bot.ts";
import { COLOR_PATTERN, type ColorRule } from "./discord-colors.ts";
import { isTagId, tagRule, type TagRule, tagsSchema } from "./discord-tags.ts";

const snowflake = z
  .string()
  .regex(/^\d{1,21}$/, 'must be an id in quotes, like "1128374650192837465"');

const oneMention = z
  .strictObject({
    role: snowflake.optional().describe("Id of a role."),
    user: snowflake.optional().describe("Id of a user."),
    ...mentionTiming,
  })
  .superRefine(({ role, user }, context) => {
    if ((role === undefined) === (user === undefined))
      context.addIssue({ code: "custom", message: "must name one of `role`, `user`" });
  });

/** The maximum number of entries in `mention`. More mentions would make a message unreadable. */
const MAX_MENTIONS = 10;

export const discordSettingsSchema = z
  .strictObject({
    webhook_url: z
      .string()
      .optional()
      .describe("A channel's webhook, instead of `token` and `channel_id`."),
    token: z.string().min(1).optional().describe("Bot token. Needs `channel_id`."),
    channel_id: snowflake.optional().describe("Channel the bot posts in."),
    guild_id: snowflake
      .optional()
      .describe("Id of the server. With it, `explain` links to messages."),
    api_url: apiUrl(
      "Base of Discord's API, ending in /api; http on loopback is allowed, for stand-ins.",
    ),
    allow_private: allowPrivateChatSetting(),
    username: z.string().min(1).max(80).optional().describe("Name under which a webhook posts."),
    avatar_url: z
      .url({ protocol: /^https$/, error: "must be an address that starts with https://" })
      .optional()
      .describe("Profile picture of a webhook's messages."),
    mention: z
      .union([oneMention, z.array(oneMention).min(1).max(MAX_MENTIONS)])
      .optional()
      .describe(
        "Roles and users that are mentioned above the alert: one, or a list. Samples and replays mention nobody.",
      ),
    color: z
      .array(
        z.strictObject({
          color: z
            .string()
            .regex(COLOR_PATTERN, 'must be a colour like "#d93025", in quotes')
            .describe("Colour of the alert's edge, like #d93025."),
          when: z
            .string()
            .optional()
            .describe("Condition on the event, written like `where`. Default: every event."),
        }),
      )
      .min(1)
      .optional()
      .describe(
        "Colours of alerts: the first one whose condition is true. Otherwise the colour depends on the type of event.",
      ),
    update: updateSchema,
    follow_up: followUpSchema,
    actions: actionsSchema,
    crosspost: z
      .boolean()
      .default(false)
      .describe(
        "Publishes messages of an announcement channel to its followers, within Discord's hourly allowance, the newest first. Bots only.",
      ),
    forum: z
      .strictObject({ tags: tagsSchema })
      .optional()
      .describe(
        "The channel is a forum: every message opens a post, titled with the first words of its alert.",
      ),
    thread: z
      .string()
      .regex(/^(\d{1,21}|new)$/, `must be the id of a thread in quotes, or ${NEW_THREAD}`)
      .optional()
      .describe(
        "Id of a thread of the channel to post in; or `new`: every message of a bot starts a thread of its own. This is tried once, right after the message is sent. If it fails, the message stays without a thread, and the log says why.",
      ),
    style: z
      .enum(["embed", "link"])
      .default("embed")
      .describe("`embed` shows the alert; `link` leaves the preview to Discord."),
  })
  .superRefine((settings, context) => {
    const { webhook_url: webhookUrl, token, channel_id: channelId } = settings;
    if (webhookUrl !== undefined) {
      addIssue(context, addressProblem(webhookUrl), "webhook_url");
      if (token !== undefined)
        addIssue(context, "cannot be combined with `webhook_url`: remove one of them", "token");
      if (settings.update !== undefined)
        addIssue(
          context,
          `${ONLY_BOTS_EDIT}: use \`token\` and \`channel_id\` instead of \`webhook_url\``,
          "update",
        );
      if (settings.actions !== undefined)
        addIssue(
          context,
          `${ONLY_BOTS_RECEIVE_CLICKS}: use \`token\` and \`channel_id\` instead of \`webhook_url\``,
          "actions",
        );
      if (settings.thread === NEW_THREAD)
        addIssue(context, "only a bot can start threads: use `token` and `channel_id`", "thread");
      if (settings.forum?.tags.map(tagRule).some(({ tag }) => !isTagId(tag)) === true)
        addIssue(
          context,
          "a webhook can set tags only by id: write ids, or use `token` and `channel_id`",
          "forum",
        );
      if (settings.crosspost)
        addIssue(context, "only a bot can publish: use `token` and `channel_id`", "crosspost");
    } else if (token === undefined)
      addIssue(context, "needs `webhook_url`, or `token` and `channel_id`");
    else if (channelId === undefined) addIssue(context, "needs a `channel_id` with `token`");
    if (settings.actions !== undefined && settings.crosspost)
      addIssue(
        context,
        "cannot be combined with `crosspost`, because followers of the channel would see buttons whose clicks nobody receives: remove one of them",
        "actions",
      );
    if (settings.follow_up !== undefined && settings.update === undefined)
      addIssue(context, FOLLOW_UP_ALONE, "follow_up");
    if (settings.forum !== undefined && settings.thread !== undefined)
      addIssue(context, "cannot be combined with `thread`: remove one of them", "forum");
  });

type Settings = z.infer<typeof discordSettingsSchema>;

export type DiscordMention = z.infer<typeof oneMention> & Pick<WrittenMention, "matches">;

export type DiscordSettings = Omit<Settings, "mention" | "color" | "forum"> & {
  readonly mention?: DiscordMention | readonly DiscordMention[] | undefined;
  readonly color?: readonly ColorRule[] | undefined;
  readonly forum?: { readonly tags: readonly (string | TagRule)[] } | undefined;
};

export const discordMentionsOf = ({
  mention = [],
}: Pick<DiscordSettings, "mention">): readonly DiscordMention[] => [mention].flat();
