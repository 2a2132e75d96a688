/**
 * A connection to Discord's gateway, with discord.js's own manager and shard. They are used for a
 * single socket: by themselves they would reconnect twice a second for as long as Discord is down. The
 * session outlives them, so that the next socket resumes it and misses no click.
 */
import type { SessionInfo, WebSocketManager } from "@discordjs/ws";
import { errorText } from "../../model/errors.ts";
import { isLoopback } from "../../model/loopback.ts";
import {
  type ChatConnection,
  ChatError,
  type ConnectionListener,
  type OpenConnection,
} from "../clicks/click.ts";
import type { DiscordApi } from "./discord-api.ts";
import { readDiscordClick } from "./discord-click.ts";
import { type OneSocketEvents, OneSocketStrategy } from "./one-socket.ts";

/** The intent `Guilds`, which every bot may have. Clicks arrive without any. */
const GUILDS = 1;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HELLO_TIMEOUT_MS = 10_000;
const READY_TIMEOUT_MS = 15_000;

/** Codes after which trying again cannot help, and their cures. https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [4004, "Put a valid bot token into the sinks' `token` or `chat.discord.token`."],
  [4011, "The bot is in too many servers for one connection: use a bot of its own."],
  [4013, "Update chirpwatch: Discord has changed its intents."],
  [4014, "Update chirpwatch: Discord has changed its intents."],
]);

export interface DiscordConnectionDeps {
  readonly api: DiscordApi;
  readonly token: string;
}

export function createDiscordConnection(deps: DiscordConnectionDeps): ChatConnection {
  const sessions = new Sessions();
  return {
    vendor: "discord",
    open: (listener, signal) => openSocket(deps, sessions, listener, signal),
  };
}

/** The number of sockets in a row that could not be opened, after which a session is given up. */
const MAX_RESUMES = 3;

/** The session of the last socket, with which the next one resumes. */
class Sessions {
  session: SessionInfo | null = null;
  #failures = 0;

  opened(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= MAX_RESUMES) this.session = null;
  }

  /** Keeps a session only if its address is one that a socket may be opened to. */
  update(session: SessionInfo | null): void {
    this.session = session !== null && isGatewayUrl(session.resumeURL) ? session : null;
  }
}

async function openSocket(
  { api, token }: DiscordConnectionDeps,
  sessions: Sessions,
  listener: ConnectionListener,
  signal: AbortSignal,
): Promise<OpenConnection> {
  const information = await readGateway(api, token);
  const discord = await import("@discordjs/ws");
  signal.throwIfAborted();
  const events = new SocketEvents(api, listener);
  const manager = new discord.WebSocketManager({
    token,
    intents: GUILDS,
    rest: { get: async () => information } as never,
    shardCount: 1,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    helloTimeout: HELLO_TIMEOUT_MS,
    readyTimeout: READY_TIMEOUT_MS,
    retrieveSessionInfo: () => sessions.session,
    // The shard forgets its session whenever it ends for good. Only Discord decides that.
    updateSessionInfo: (_id, session) => {
      if (session !== null || events.isInvalid) sessions.update(session);
    },
    buildStrategy: (owner) => new OneSocketStrategy(owner, discord, events),
  });
  try {
    const open = await events.open(manager, signal);
    sessions.opened();
    return open;
  } catch (error) {
    sessions.failed();
    throw error;
  }
}

/** Asks where the gateway is, and whether the bot may begin another session today. */
async function readGateway(api: DiscordApi, token: string): Promise<unknown> {
  const information = (await api.gateway(token)) as {
    readonly url?: unknown;
    readonly session_start_limit?: { readonly remaining?: unknown };
  };
  if (typeof information.url !== "string" || !isGatewayUrl(information.url))
    throw new ChatError("Discord named no gateway", false);
  const { session_start_limit: limit = {} } = information;
  if (limit.remaining === 0)
    throw new ChatError("the bot has begun too many sessions today", true, {
      hint: "Something else uses the same bot token again and again: find it, or use another bot.",
    });
  return { ...information, session_start_limit: { max_concurrency: 1, reset_after: 0, ...limit } };
}

function isGatewayUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "wss:" || (protocol === "ws:" && isLoopback(hostname));
}

/** What becomes of one socket. */
class SocketEvents implements OpenConnection, OneSocketEvents {
  readonly #api: DiscordApi;
  readonly #listener: ConnectionListener;
  #manager: WebSocketManager | undefined;
  #state: "opening" | "open" | "over" = "opening";
  #settle: { ready(): void; failed(error: unknown): void } | undefined;
  /** Whether Discord does not know the session any more. */
  isInvalid = false;

  constructor(api: DiscordApi, listener: ConnectionListener) {
    this.#api = api;
    this.#listener = listener;
  }

  /** Resolves once the session has begun or was resumed. */
  async open(manager: WebSocketManager, signal: AbortSignal): Promise<OpenConnection> {
    this.#manager = manager;
    const abort = () => this.over(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await new Promise<void>((ready, failed) => {
        this.#settle = { ready, failed };
        // This promise of the library settles only if all goes well.
        manager.connect().catch((error: unknown) => this.over(error));
      });
      return this;
    } catch (error) {
      // A shard that is closed while it waits for Discord never says that it is closed.
      void this.close();
      throw error instanceof ChatError
        ? error
        : new ChatError(`Discord could not be reached: ${errorText(error)}`, false, {
            cause: error,
          });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  ready(): void {
    if (this.#state !== "opening") return;
    this.#state = "open";
    this.#settle?.ready();
  }

  /** Called when the socket has ended, with the reason. Only the first call counts. */
  over(reason: unknown): void {
    const before = this.#state;
    this.#state = "over";
    if (before === "opening") this.#settle?.failed(reason);
    if (before === "open") this.#listener.ended(errorText(reason));
  }

  sessionLost(): void {
    this.isInvalid = true;
  }

  closed(code: number): void {
    const hint = REFUSALS.get(code);
    if (hint !== undefined) this.isInvalid = true;
    this.over(new ChatError(`Discord closed the socket: ${code}`, hint !== undefined, { hint }));
  }

  dispatched(packet: { readonly t: string; readonly d: unknown }): void {
    if (packet.t !== "INTERACTION_CREATE") return;
    const click = readDiscordClick(packet.d);
    if (click === undefined) return;
    const { interactionId, applicationId, token, ...facts } = click;
    const keys = { interactionId, applicationId, token };
    this.#listener.clicked({
      ...facts,
      answer: () => this.#api.defer(keys),
      say: (text) => this.#api.say(keys, text),
    });
  }

  async close(): Promise<void> {
    this.#state = "over";
    try {
      await this.#manager?.destroy({ reason: "the daemon stops" });
    } catch {
      // The socket is gone, which is what was asked for.
    }
  }
}
