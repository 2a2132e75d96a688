/** Every sink type there is. A new one is its own file and one line here. */
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

// Settings are each type's own: a caller parses them with that type's schema first.
// biome-ignore lint/suspicious/noExplicitAny: the settings type is hidden behind the schema
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
