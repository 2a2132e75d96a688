/** All sink types. A new type needs a file of its own and a line here. */
import { appriseSink } from "./apprise.ts";
import { chatWebhookSink } from "./chat-webhook.ts";
import { consoleSink } from "./console.ts";
import { discordSink } from "./discord/discord.ts";
import { emailSink } from "./email/email.ts";
import { execSink } from "./exec.ts";
import { fileSink } from "./file.ts";
import type { SinkType } from "./kind/sink-type.ts";
import { slackSink } from "./slack/slack.ts";
import { teamsSink } from "./teams/teams.ts";
import { telegramSink } from "./telegram/telegram.ts";
import { webhookSink } from "./webhook/webhook.ts";

// Each type has its own settings type: callers first parse the settings with that type's schema.
export const SINK_TYPES: readonly SinkType<any>[] = [
  slackSink,
  discordSink,
  telegramSink,
  teamsSink,
  chatWebhookSink,
  appriseSink,
  emailSink,
  webhookSink,
  fileSink,
  execSink,
  consoleSink,
];
