/**
 * Checks with Discord what the configuration alone does not show: whether tokens are valid, whether
 * bots see their channels, and whether clicks go elsewhere. Posts nothing.
 */
import type { SinkConfig } from "../../config/config.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Http } from "../../model/http.ts";
import { DISCORD_API_URL } from "../../sinks/discord/discord-bot.ts";
import type { DiscordSettings } from "../../sinks/discord/discord-settings.ts";
import { scopeOf } from "../../sinks/kind/address-settings.ts";
import { ChatError } from "../clicks/click.ts";
import type { ChatFinding, ChatFindings } from "../clicks/finding.ts";
import { createDiscordApi, type DiscordApi } from "./discord-api.ts";

/** A sink that posts as a bot. */
interface BotSink {
  readonly name: string;
  readonly settings: DiscordSettings;
}

/** @throws ChatError if Discord cannot be reached */
export async function checkDiscord(
  sinks: readonly SinkConfig[],
  http: Http,
): Promise<ChatFindings> {
  const bots = sinks.flatMap(({ name, type, settings }): readonly BotSink[] => {
    const own = settings as DiscordSettings | undefined;
    return type === "discord" && own?.token !== undefined ? [{ name, settings: own }] : [];
  });
  const findings: ChatFinding[] = [];
  for (const [token, alike] of groupBy(bots, ({ settings }) => settings.token ?? ""))
    findings.push(...(await checkBot(token, alike, http)));
  return { findings, notes: [] };
}

async function checkBot(
  token: string,
  sinks: readonly BotSink[],
  http: Http,
): Promise<readonly ChatFinding[]> {
  const [first] = sinks;
  if (first === undefined) return [];
  const apiUrl = (first.settings.api_url ?? DISCORD_API_URL).replace(/\/+$/, "");
  const reach = scopeOf(apiUrl, first.settings.allow_private, true);
  const api = createDiscordApi(http, { apiUrl, reach });
  const application = await refusable(api, "/applications/@me", token);
  if (typeof application === "string")
    return [
      {
        sink: first.name,
        message: `${application} to the \`token\` of \`${first.name}\`: put a valid bot token there`,
      },
    ];
  const findings: ChatFinding[] = [];
  const button = sinks.find(({ settings }) => settings.actions !== undefined);
  const { interactions_endpoint_url: endpoint } = application;
  if (button !== undefined && typeof endpoint === "string" && endpoint !== "")
    findings.push({
      sink: button.name,
      message:
        'the application has an "Interactions Endpoint URL", to which Discord sends all clicks: remove it in the Developer Portal',
    });
  for (const { name, settings } of sinks) {
    const channel = await refusable(api, `/channels/${settings.channel_id}`, token);
    if (typeof channel === "string")
      findings.push({
        sink: name,
        message: `${channel} when the bot of \`${name}\` reads its channel: invite the bot with the scope \`bot\`, and let it view the channel and send messages there`,
      });
  }
  return findings;
}

/** Returns the answer, or the beginning of a sentence that says what Discord answered instead. */
async function refusable(
  api: DiscordApi,
  path: string,
  token: string,
): Promise<Readonly<Record<string, unknown>> | string> {
  try {
    const read = await api.read(path, token);
    return typeof read === "object" && read !== null ? { ...read } : {};
  } catch (error) {
    if (error instanceof ChatError && error.cause === undefined) return error.message;
    throw error;
  }
}
