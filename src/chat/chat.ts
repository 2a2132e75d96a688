/**
 * Listens to the chats that the configuration asks for: those with sinks whose messages have
 * buttons. One connection to each chat is enough for all replicas, so only the leading one starts
 * this.
 */
import type { SinkConfig } from "../config/config.ts";
import type { ChatVendor } from "../model/chat-access.ts";
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Http } from "../model/http.ts";
import type { OpsAlerts } from "../model/ops-alerts.ts";
import {
  answerClick,
  type AnswerDeps,
  type ListeningSide,
  offeredBy,
} from "./clicks/answer-click.ts";
import type { Click } from "./clicks/click.ts";
import { ClickQueue } from "./clicks/click-queue.ts";
import {
  CHAT_CONDITION,
  chatTrouble,
  keepConnected,
  type KeptConnection,
} from "./keep-connected.ts";

export interface ChatDeps extends AnswerDeps {
  readonly opsAlerts: Pick<OpsAlerts, "raise" | "clear" | "lasting">;
  readonly clock: Clock;
  readonly http: Http;
}

export interface Chat {
  /**
   * Connects as the active configuration asks, and disconnects from what it no longer names. Never
   * rejects.
   */
  update(): Promise<void>;
  /** Why clicks are not received, a sentence for each chat. */
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
  load(): Promise<ListeningSide>;
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
        if (next !== undefined) await this.#begin(vendor, next);
      }
    }).catch((error: unknown) =>
      this.#deps.log.error("a chat cannot be listened to", { error: errorText(error) }),
    );
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

  async #begin(vendor: ChatVendor, { key, load }: Wanted): Promise<void> {
    const { clock, log, opsAlerts } = this.#deps;
    const side = await load();
    if (this.#isStopped) return;
    const clicked = (click: Click) => answerClick(this.#deps, side, this.#clicks, click);
    const connection = keepConnected({ clock, log, opsAlerts, clicked }, side.connection);
    this.#kept.set(vendor, { key, connection });
  }
}

/** Returns the first sink of this type whose messages have buttons. */
const withButtons = (sinks: readonly SinkConfig[], type: string): SinkConfig | undefined =>
  sinks.find((sink) => sink.type === type && offeredBy(sink).length > 0);

/**
 * Returns what it takes to listen to Slack; undefined if nothing asks for it. The vendor's side is
 * loaded when it is first needed.
 */
function wantedSlack({ config, http, clock, log }: ChatDeps): Wanted | undefined {
  const { chat, sinks } = config();
  const sink = withButtons(sinks, "slack");
  if (chat.slack === undefined || sink === undefined) return undefined;
  const { appToken } = chat.slack;
  return {
    key: JSON.stringify([appToken, addressOf(sink)]),
    load: async () => {
      const { createSlackSide } = await import("./slack/slack-side.ts");
      return createSlackSide(appToken, sink, { http, clock, log });
    },
  };
}

function wantedDiscord({ config, http }: ChatDeps): Wanted | undefined {
  const { chat, sinks } = config();
  const sink = withButtons(sinks, "discord");
  if (sink === undefined) return undefined;
  const token = chat.discord?.token;
  return {
    key: JSON.stringify([token, addressOf(sink)]),
    load: async () => {
      const { createDiscordSide } = await import("./discord/discord-side.ts");
      return createDiscordSide(token, sink, { http });
    },
  };
}

/** Returns the settings on which a connection depends. */
function addressOf({ settings }: SinkConfig): readonly unknown[] {
  const { token, api_url: url, allow_private: isPrivate } = settings as Record<string, unknown>;
  return [token, url, isPrivate];
}
