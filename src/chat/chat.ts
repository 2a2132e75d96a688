/**
 * Listens to the chats that the configuration asks for: those with sinks whose messages have
 * buttons. One daemon listens for all of them, so only the one that leads starts this.
 */
import type { SinkConfig } from "../config/config.ts";
import type { ChatVendor } from "../model/chat-access.ts";
import type { Clock } from "../model/clock.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Http } from "../model/http.ts";
import type { OpsAlerts } from "../model/ops-alerts.ts";
import { DISCORD_API_URL } from "../sinks/discord/discord-bot.ts";
import type { DiscordSettings } from "../sinks/discord/discord-settings.ts";
import { scopeOf } from "../sinks/kind/address-settings.ts";
import { SLACK_API_URL, slackReach, type SlackSettings } from "../sinks/slack/slack-settings.ts";
import { answerClick, type AnswerDeps, offeredBy, type VendorSide } from "./clicks/answer-click.ts";
import type { ChatConnection, Click } from "./clicks/click.ts";
import { ClickQueue } from "./clicks/click-queue.ts";
import {
  CHAT_CONDITION,
  chatTrouble,
  keepConnected,
  type KeptConnection,
} from "./keep-connected.ts";
import { createDiscordApi } from "./discord/discord-api.ts";
import { createDiscordConnection } from "./discord/discord-connection.ts";
import { DISCORD_MARKUP } from "./discord/discord-markup.ts";
import { createSlackApi } from "./slack/slack-api.ts";
import { createSlackConnection } from "./slack/slack-connection.ts";
import { createSlackGroups } from "./slack/slack-groups.ts";
import { SLACK_MARKUP } from "./slack/slack-markup.ts";

export interface ChatDeps extends AnswerDeps {
  readonly opsAlerts: Pick<OpsAlerts, "raise" | "clear" | "lasting">;
  readonly clock: Clock;
  readonly http: Http;
}

export interface Chat {
  /** Connects as the active configuration asks, and disconnects from what it no longer names. */
  update(): Promise<void>;
  /** Why clicks are not heard, a sentence for each chat. */
  troubles(): readonly string[];
  /** Closes all sockets, then waits for clicks that are being handled. */
  stop(): Promise<void>;
}

/** How long a stop waits for clicks that were answered and have no effect yet. */
const STOP_GRACE_MS = 3_000;

export const createChat = (deps: ChatDeps): Chat => new Listening(deps);

/** What is needed to listen to a vendor. Two equal keys mean that nothing changed. */
interface Wanted {
  readonly key: string;
  readonly side: VendorSide;
  readonly connection: ChatConnection;
}

interface Kept {
  readonly key: string;
  readonly connection: KeptConnection;
}

class Listening implements Chat {
  readonly #deps: ChatDeps;
  readonly #kept = new Map<ChatVendor, Kept>();
  readonly #clicks = new ClickQueue();
  readonly #inTurn = createInTurn();
  #isStopped = false;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  update(): Promise<void> {
    return this.#inTurn(async () => {
      const wanted = new Map<ChatVendor, Wanted | undefined>([
        ["slack", wantedSlack(this.#deps)],
        ["discord", wantedDiscord(this.#deps)],
      ]);
      for (const [vendor, next] of wanted) {
        const now = this.#kept.get(vendor);
        if (next === undefined) await this.#deps.opsAlerts.clear(`${CHAT_CONDITION}${vendor}`);
        if (this.#isStopped || now?.key === next?.key) continue;
        await now?.connection.stop();
        this.#kept.delete(vendor);
        if (next !== undefined)
          this.#kept.set(vendor, { key: next.key, connection: this.#keep(next) });
      }
    });
  }

  troubles(): readonly string[] {
    const own = [...this.#kept].map(([vendor, { connection }]) => [vendor, connection.trouble]);
    const seen = new Map(own as [ChatVendor, string | undefined][]);
    // Another replica may be the one that listens.
    const others = [...this.#deps.opsAlerts.lasting(CHAT_CONDITION)].filter(
      (vendor) => !seen.has(vendor as ChatVendor),
    );
    return [
      ...[...seen.values()].flatMap((trouble) => trouble ?? []),
      ...others.map((vendor) =>
        chatTrouble(vendor as ChatVendor, "the replica that leads has no connection"),
      ),
    ];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#kept.values()].map(({ connection }) => connection.stop()));
    await this.#clicks.settled(this.#deps.clock, STOP_GRACE_MS);
  }

  #keep({ side, connection }: Wanted): KeptConnection {
    const clicked = (click: Click) => answerClick(this.#deps, side, this.#clicks, click);
    const { clock, log, opsAlerts } = this.#deps;
    return keepConnected({ clock, log, opsAlerts, clicked }, connection);
  }
}

/** Returns the first sink of this type whose messages have buttons. */
const withButtons = (sinks: readonly SinkConfig[], type: string): SinkConfig | undefined =>
  sinks.find((sink) => sink.type === type && offeredBy(sink).length > 0);

function wantedSlack({ config, http, clock, log }: ChatDeps): Wanted | undefined {
  const { chat, sinks } = config();
  const sink = withButtons(sinks, "slack");
  if (chat.slack === undefined || sink === undefined) return undefined;
  const settings = sink.settings as SlackSettings;
  const { token = "" } = settings;
  const { appToken } = chat.slack;
  const address = { apiUrl: settings.api_url ?? SLACK_API_URL, reach: slackReach(settings) };
  const api = createSlackApi(http, address, token);
  return {
    key: JSON.stringify([appToken, token, address]),
    side: { markup: SLACK_MARKUP, groups: createSlackGroups(api, { clock, log }) },
    connection: createSlackConnection({ http, appToken, address }),
  };
}

function wantedDiscord({ config, http }: ChatDeps): Wanted | undefined {
  const { chat, sinks } = config();
  const sink = withButtons(sinks, "discord");
  if (sink === undefined) return undefined;
  const settings = sink.settings as DiscordSettings;
  const { api_url: written, allow_private: allowPrivate } = settings;
  const token = chat.discord?.token ?? settings.token ?? "";
  const apiUrl = (written ?? DISCORD_API_URL).replace(/\/+$/, "");
  const address = { apiUrl, reach: scopeOf(apiUrl, allowPrivate, true) };
  return {
    key: JSON.stringify([token, address]),
    side: { markup: DISCORD_MARKUP },
    connection: createDiscordConnection({ api: createDiscordApi(http, address), token }),
  };
}
