/** The settings of the Slack sink, and the address and network that follow from them. */
import { z } from "zod";
import type { NetworkScope } from "../../model/http.ts";
import { allowPrivateChatSetting, scopeOf } from "../kind/address-settings.ts";
import { actionsSchema, ONLY_BOTS_RECEIVE_CLICKS } from "../kind/action-buttons.ts";
import { addIssue, addressProblem, apiUrl } from "../kind/chat-settings.ts";
import { threadSettings } from "../kind/thread-settings.ts";
import {
  FOLLOW_UP_ALONE,
  followUpSchema,
  ONLY_BOTS_EDIT,
  updateSchema,
} from "../kind/update-settings.ts";
import { mentionList, type SlackMention } from "./slack-mention.ts";

export const SLACK_API_URL = "https://slack.com/api/";
export const APPEARANCE = ["username", "icon_emoji", "icon_url"] as const;

export const slackSettingsSchema = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .optional()
      .describe("Bot token (xoxb-…) with the scope chat:write. Needs `channel`."),
    channel: z
      .string()
      .min(1)
      .optional()
      .describe('Channel name in quotes ("#brand") or id (C0123456789); invite the bot to it.'),
    webhook_url: z
      .string()
      .optional()
      .describe("An incoming webhook, instead of `token` and `channel`."),
    username: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe("Name under which the bot posts. Needs the scope chat:write.customize."),
    icon_emoji: z
      .string()
      .regex(/^:[^\s:]+:$/, "must be the name of an emoji between colons, like :bird:")
      .optional()
      .describe(
        "Emoji that the bot's messages have as icon (:bird:). Needs the scope chat:write.customize.",
      ),
    icon_url: z
      .url({ protocol: /^https$/, error: "must be an address that starts with https://" })
      .optional()
      .describe(
        "Picture that the bot's messages have as icon. Needs the scope chat:write.customize.",
      ),
    ...threadSettings,
    broadcast: z
      .enum(["never", "always"])
      .optional()
      .describe("Whether a message in a thread is shown in the channel, too. Default never."),
    mention: mentionList
      .optional()
      .describe("People that an alert mentions. Samples and replays mention nobody."),
    update: updateSchema,
    follow_up: followUpSchema,
    actions: actionsSchema,
    api_url: apiUrl(
      "Base of Slack's Web API, ending in /api/; http on loopback is allowed, for stand-ins.",
    ),
    allow_private: allowPrivateChatSetting(),
  })
  .superRefine((settings, context) => {
    const { token, channel, webhook_url: webhookUrl } = settings;
    if (webhookUrl === undefined) {
      if (token === undefined) addIssue(context, "needs `token` and `channel`, or `webhook_url`");
      else if (channel === undefined) addIssue(context, "needs a `channel` with `token`");
    } else {
      addIssue(context, addressProblem(webhookUrl), "webhook_url");
      if (settings.update !== undefined)
        addIssue(
          context,
          `${ONLY_BOTS_EDIT}: use \`token\` and \`channel\` instead of \`webhook_url\``,
          "update",
        );
      if (settings.actions !== undefined)
        addIssue(
          context,
          `${ONLY_BOTS_RECEIVE_CLICKS}: use \`token\` and \`channel\` instead of \`webhook_url\``,
          "actions",
        );
      if (channel !== undefined)
        addIssue(
          context,
          "an incoming webhook always posts to its own channel: remove `channel`, or use `token` instead of `webhook_url`",
          "channel",
        );
      for (const key of APPEARANCE)
        if (settings[key] !== undefined)
          addIssue(
            context,
            "needs a bot: an incoming webhook has the name and icon of its app; use `token` and `channel`",
            key,
          );
      if (settings.thread_by !== undefined)
        addIssue(
          context,
          "needs a bot: an incoming webhook cannot answer in a thread; use `token` and `channel`",
          "thread_by",
        );
    }
    if (settings.follow_up !== undefined && settings.update === undefined)
      addIssue(context, FOLLOW_UP_ALONE, "follow_up");
    if (settings.icon_emoji !== undefined && settings.icon_url !== undefined)
      addIssue(context, "cannot be combined with `icon_emoji`: remove one of them", "icon_url");
  });

type Settings = z.infer<typeof slackSettingsSchema>;
export type SlackSettings = Omit<Settings, "mention"> & {
  readonly mention?: readonly SlackMention[] | undefined;
};

export const slackAddress = ({ webhook_url: webhookUrl, api_url: apiUrl }: SlackSettings): string =>
  webhookUrl ?? apiUrl ?? SLACK_API_URL;

export const slackReach = (settings: SlackSettings): NetworkScope =>
  scopeOf(slackAddress(settings), settings.allow_private, true);
