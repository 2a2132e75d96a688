/**
 * A strategy for the WebSocket manager of discord.js with one shard that opens a single socket and never
 * another, and whose errors all arrive here. By itself, the shard drops errors of its promises and
 * of sockets that it has given up, either of which ends a process.
 */
import type { WebSocketManager, WebSocketShard, WebSocketShardDestroyOptions } from "@discordjs/ws";

type Discord = Pick<
  typeof import("@discordjs/ws"),
  | "managerToFetchingStrategyOptions"
  | "SimpleContextFetchingStrategy"
  | "WebSocketShard"
  | "WebSocketShardDestroyRecovery"
  | "WebSocketShardEvents"
>;

export interface OneSocketEvents {
  ready(): void;
  dispatched(packet: { readonly t: string; readonly d: unknown }): void;
  /** Called when Discord closed the socket, with its code. */
  closed(code: number): void;
  /** Called when the session cannot be resumed. */
  sessionLost(): void;
  /** Called when the socket has ended, or when something failed. */
  over(reason: unknown): void;
}

/** The methods of a shard that reject with nobody to notice. */
const UNWATCHED = ["internalConnect", "onMessage", "onClose", "heartbeat"] as const;

/** The code of a socket that ended without a close frame. */
const NO_CLOSE_FRAME = 1_006;

interface Socket {
  on?(event: "error", listener: () => void): void;
  terminate?(): void;
}

export class OneSocketStrategy {
  readonly #manager: WebSocketManager;
  readonly #discord: Discord;
  readonly #events: OneSocketEvents;
  #shard: WebSocketShard | undefined;
  #socket: Socket | undefined;

  constructor(manager: WebSocketManager, discord: Discord, events: OneSocketEvents) {
    this.#manager = manager;
    this.#discord = discord;
    this.#events = events;
  }

  async spawn(): Promise<void> {
    const { managerToFetchingStrategyOptions, SimpleContextFetchingStrategy } = this.#discord;
    const options = await managerToFetchingStrategyOptions(this.#manager);
    const context = new SimpleContextFetchingStrategy(this.#manager, options);
    this.#shard = this.#guarded(new this.#discord.WebSocketShard(context, 0));
  }

  async connect(): Promise<void> {
    await this.#shard?.connect();
  }

  async destroy(options: WebSocketShardDestroyOptions = {}): Promise<void> {
    const shard = this.#shard;
    this.#shard = undefined;
    const socket = this.#socket;
    await shard?.destroy(options);
    // A socket that is still connecting is not closed by that.
    socket?.terminate?.();
  }

  send(): never {
    throw new Error("nothing is sent through the gateway");
  }

  fetchStatus(): never {
    throw new Error("nobody asks for the status of the shard");
  }

  #guarded(shard: WebSocketShard): WebSocketShard {
    const { WebSocketShardEvents: Event, WebSocketShardDestroyRecovery: Recovery } = this.#discord;
    const events = this.#events;
    shard.on(Event.Ready, () => events.ready());
    shard.on(Event.Resumed, () => events.ready());
    shard.on(Event.Closed, ({ code }) => events.closed(code));
    shard.on(Event.Error, ({ error }) => events.over(error));
    shard.on(Event.Dispatch, ({ data }) => events.dispatched(data as never));
    const own = shard as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const destroy = shard.destroy.bind(shard);
    shard.destroy = async ({ recover, ...options } = {}) => {
      if (recover === Recovery.Reconnect && options.code !== NO_CLOSE_FRAME) events.sessionLost();
      await destroy(options);
      events.over(new Error(options.reason ?? "the socket ended"));
    };
    for (const name of UNWATCHED) {
      const method = own[name]?.bind(shard);
      if (method === undefined) continue;
      own[name] = async (...args) => {
        try {
          return await method(...args);
        } catch (error) {
          events.over(error);
          return shard.destroy();
        }
      };
    }
    Object.defineProperty(shard, "connection", {
      get: () => this.#socket ?? null,
      set: (socket: Socket | null) => {
        socket?.on?.("error", () => {});
        this.#socket = socket ?? undefined;
      },
    });
    return shard;
  }
}
