/**
 * Warns of settings of chat sinks that are valid but probably a mistake: an address of another
 * chat, a token that is not a bot's, a setting without effect.
 */
import type { SinkDoubt } from "./sink-type.ts";
import { ownValue } from "../../model/own-value.ts";

interface ChatSettings {
  readonly token?: string | undefined;
  readonly webhook_url?: string | undefined;
  readonly api_url?: string | undefined;
}

const CHAT_HOSTS = {
  slack: { name: "Slack", host: /(^|\.)slack(-gov)?\.com$/ },
  discord: { name: "Discord", host: /(^|\.)discord(app)?\.com$/ },
  chat_webhook: { name: "Google Chat", host: /^chat\.googleapis\.com$/ },
} as const;

/** Warns of an address that belongs to a different chat. */
export function doubtsOfOtherChat(
  type: string,
  key: string,
  address: string,
): readonly SinkDoubt[] {
  const { hostname } = new URL(address);
  const [chat, { name }] = Object.entries(CHAT_HOSTS).find(([, { host }]) =>
    host.test(hostname),
  ) ?? ["", { name: "" }];
  if (chat === "" || chat === type) return [];
  return [
    {
      rule: "other-chat",
      key,
      message: `\`${key}\` is an address of ${name}, which does not take what a ${type} sink sends: write \`type: ${chat}\``,
    },
  ];
}

/** Warns of `api_url` next to `webhook_url`, where it has no effect. */
function doubtsOfApiUrl({
  api_url: apiUrl,
  webhook_url: webhookUrl,
}: ChatSettings): readonly SinkDoubt[] {
  if (apiUrl === undefined || webhookUrl === undefined) return [];
  return [
    {
      rule: "no-effect",
      key: "api_url",
      message: "`api_url` has no effect beside `webhook_url`: remove it",
    },
  ];
}

interface ThreadKeys {
  readonly thread_by?: string | undefined;
  readonly thread_window?: string | undefined;
  readonly broadcast?: string | undefined;
}

export const slackDoubts = (settings: ChatSettings & ThreadKeys): readonly SinkDoubt[] => [
  ...doubtsOfToken(settings),
  ...doubtsOfWebhook("slack", settings),
  ...doubtsOfApiUrl(settings),
  ...doubtsOfThreads(settings),
];

/** Warns of keys that configure a thread if there are no threads. */
export const doubtsOfThreads = (settings: ThreadKeys): readonly SinkDoubt[] =>
  (["thread_window", "broadcast"] as const).flatMap((key): readonly SinkDoubt[] => {
    if (settings[key] === undefined || settings.thread_by !== undefined) return [];
    return [
      {
        rule: "no-effect",
        key,
        message: `\`${key}\` has no effect without \`thread_by\`: add that, or remove this`,
      },
    ];
  });

export const discordDoubts = (settings: ChatSettings): readonly SinkDoubt[] => [
  ...doubtsOfEnding(settings),
  ...doubtsOfWebhook("discord", settings),
  ...doubtsOfApiUrl(settings),
];

const doubtsOfWebhook = (
  type: string,
  { webhook_url: address }: ChatSettings,
): readonly SinkDoubt[] =>
  address === undefined ? [] : doubtsOfOtherChat(type, "webhook_url", address);

/**
 * Prefixes of Slack tokens that are no bot tokens, with the end of the warning about each.
 * https://docs.slack.dev/authentication/tokens
 */
const OTHER_TOKENS: Readonly<Record<string, string>> = {
  "xoxp-": "is a user's token (xoxp-…): messages would come from that person",
  "xapp-": "is an app-level token (xapp-…), which may not post",
};

function doubtsOfToken({ token = "" }: ChatSettings): readonly SinkDoubt[] {
  const what = ownValue(OTHER_TOKENS, token.slice(0, 5));
  const message = `\`token\` ${what}; use the bot token of the app (xoxb-…)`;
  return what === undefined ? [] : [{ rule: "slack-token", key: "token", message }];
}

/**
 * Warns if the address ends in `/slack` or `/github`: at these addresses Discord expects messages
 * in the format of those services.
 */
function doubtsOfEnding({ webhook_url: address }: ChatSettings): readonly SinkDoubt[] {
  const [ending] =
    /\/(slack|github)\/?$/.exec(address === undefined ? "" : new URL(address).pathname) ?? [];
  const message = `\`webhook_url\` ends in ${ending}, which is for messages of another format: remove ${ending}`;
  return ending === undefined ? [] : [{ rule: "other-chat", key: "webhook_url", message }];
}
