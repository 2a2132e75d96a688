/** What it takes to listen to Discord: the connection, and how answers write names. */
import type { SinkConfig } from "../../config/config.ts";
import type { Http } from "../../model/http.ts";
import { DISCORD_API_URL } from "../../sinks/discord/discord-bot.ts";
import type { DiscordSettings } from "../../sinks/discord/discord-settings.ts";
import { scopeOf } from "../../sinks/kind/address-settings.ts";
import type { ListeningSide } from "../clicks/answer-click.ts";
import { createDiscordApi } from "./discord-api.ts";
import { createDiscordConnection } from "./discord-connection.ts";
import { DISCORD_MARKUP } from "./discord-markup.ts";

/** Listens as the bot of `written`, or of the sink without it. */
export function createDiscordSide(
  written: string | undefined,
  sink: SinkConfig,
  { http }: { readonly http: Http },
): ListeningSide {
  const settings = sink.settings as DiscordSettings;
  const token = written ?? settings.token ?? "";
  const apiUrl = (settings.api_url ?? DISCORD_API_URL).replace(/\/+$/, "");
  const address = { apiUrl, reach: scopeOf(apiUrl, settings.allow_private, true) };
  const connection = createDiscordConnection({ api: createDiscordApi(http, address), token });
  return { markup: DISCORD_MARKUP, connection };
}
