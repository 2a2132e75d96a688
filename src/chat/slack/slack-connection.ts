/**
 * A connection to Slack through Socket Mode, with Slack's own client. The client is used for a
 * single socket and thrown away, and its own reconnecting is off: it throws while it connects or
 * disconnects, and an error that it does not catch would end the process.
 */
import type { SocketModeClient } from "@slack/socket-mode";
import { errorText } from "../../model/errors.ts";
import type { Http } from "../../model/http.ts";
import { ownValue } from "../../model/own-value.ts";
import { sdkFetch } from "../../sinks/kind/sdk-fetch.ts";
import {
  type ChatConnection,
  ChatError,
  type ConnectionListener,
  type OpenConnection,
} from "../clicks/click.ts";
import { sayInSlack, type SlackAddress } from "./slack-api.ts";
import { readSlackClick } from "./slack-click.ts";

const TIMEOUT_MS = 10_000;

/** Errors of `apps.connections.open` that last until somebody changes the app, and their cures. */
const REFUSALS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"].map(
      (code) => [code, "Put a valid app-level token (xapp-…) into `chat.slack.app_token`."],
    ),
  ),
  not_allowed_token_type:
    "`chat.slack.app_token` must be an app-level token (xapp-…), not a bot token.",
  missing_scope: "Create an app-level token with the scope connections:write.",
  forbidden_team: "The workspace does not allow the app: ask its admins.",
  socket_mode_not_enabled: "Switch on Socket Mode in the settings of the Slack app.",
};

export interface SlackConnectionDeps {
  readonly http: Http;
  readonly appToken: string;
  readonly address: SlackAddress;
}

export const createSlackConnection = (deps: SlackConnectionDeps): ChatConnection => ({
  vendor: "slack",
  open: (listener, signal) => openSocket(deps, listener, signal),
});

async function openSocket(
  deps: SlackConnectionDeps,
  listener: ConnectionListener,
  signal: AbortSignal,
): Promise<OpenConnection> {
  const client = await createClient(deps, signal);
  const socket = new Socket(client, deps, listener);
  try {
    await socket.start(signal);
    return socket;
  } catch (error) {
    await socket.close();
    throw classified(signal.aborted ? signal.reason : error);
  }
}

/** What a client emits for a message that wants an answer. */
interface Envelope {
  readonly ack: () => Promise<void>;
  readonly body: unknown;
}

class Socket implements OpenConnection {
  readonly #client: SocketModeClient;
  readonly #deps: SlackConnectionDeps;
  readonly #listener: ConnectionListener;
  #isOpen = false;
  #reason = "Slack closed the socket";

  constructor(client: SocketModeClient, deps: SlackConnectionDeps, listener: ConnectionListener) {
    this.#client = client;
    this.#deps = deps;
    this.#listener = listener;
    client.on("interactive", (envelope: Envelope) => this.#interactive(envelope));
    client.on("disconnected", () => this.#ended());
    this.#guard();
  }

  /** Resolves once Slack has said hello. */
  async start(signal: AbortSignal): Promise<void> {
    let abort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
    });
    try {
      await Promise.race([this.#client.start(), aborted]);
      this.#isOpen = true;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    // The first call sends a close frame; the second one does not wait for the answer to it.
    for (const _ of [1, 2])
      try {
        void this.#client.disconnect().catch(() => undefined);
      } catch {
        // The client throws if it is asked at the wrong moment. There is no socket then.
      }
  }

  #ended(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#listener.ended(this.#reason);
  }

  /**
   * Puts a guard before the client's own handling of messages, which may reject with nobody to
   * notice, and keeps the reason that Slack gives before it closes the socket.
   */
  #guard(): void {
    const client = this.#client;
    const own = client as unknown as {
      onWebSocketMessage(data: unknown, isBinary: boolean): Promise<void>;
    };
    client.removeAllListeners("ws_message");
    client.on("ws_message", (data: unknown, isBinary: boolean) => {
      this.#reason = reasonIn(data) ?? this.#reason;
      void own.onWebSocketMessage(data, isBinary).catch((error: unknown) => {
        this.#reason = `the client failed: ${errorText(error)}`;
        void this.close();
        this.#listener.ended(this.#reason);
      });
    });
  }

  #interactive({ ack, body }: Envelope): void {
    const click = readSlackClick(body);
    // An interaction that is none of ours is answered too, or Slack would send it again.
    if (click === undefined) return void ack().catch(() => undefined);
    const { responseUrl: url, ...facts } = click;
    const { http, address } = this.#deps;
    this.#listener.clicked({
      ...facts,
      answer: () => ack(),
      say: (text) => sayInSlack(http, { url, reach: address.reach }, text),
    });
  }
}

/** Returns why Slack asks to disconnect: `warning`, `refresh_requested`, `link_disabled` … */
function reasonIn(data: unknown): string | undefined {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return undefined;
  const [, reason] = /"reason"\s*:\s*"(\w{1,40})"/.exec(data) ?? [];
  return reason === undefined ? undefined : `Slack asked to disconnect: ${reason}`;
}

/** Loads the client on first use. Its HTTP requests go through our agent. */
async function createClient(
  { http, appToken, address }: SlackConnectionDeps,
  signal: AbortSignal,
): Promise<SocketModeClient> {
  const { SocketModeClient: Client } = await import("@slack/socket-mode");
  return new Client({
    appToken,
    autoReconnectEnabled: false,
    logger: QUIET,
    clientOptions: {
      slackApiUrl: address.apiUrl,
      allowAbsoluteUrls: false,
      rejectRateLimitedCalls: true,
      retryConfig: { retries: 0 },
      timeout: TIMEOUT_MS,
      fetch: (url, init) =>
        sdkFetch(http, String(url), init ?? {}, {
          timeoutMs: TIMEOUT_MS,
          signal,
          reach: address.reach,
        }),
    },
  });
}

const hush = () => {};
/** The client logs what it received, which does not belong in a log. */
const QUIET = {
  debug: hush,
  info: hush,
  warn: hush,
  error: hush,
  setLevel: hush,
  getLevel: () => "error" as never,
  setName: hush,
};

/** Errors of the SDK, by their stable `code`. */
interface SdkError {
  readonly code?: string;
  readonly data?: { readonly error?: string };
  readonly original?: unknown;
}

function classified(thrown: unknown): ChatError {
  if (thrown instanceof ChatError) return thrown;
  const { code, data, original }: SdkError =
    typeof thrown === "object" && thrown !== null ? thrown : {};
  if (code === "slack_webapi_platform_error") {
    const error = data?.error ?? "";
    const hint = ownValue(REFUSALS, error);
    return new ChatError(`Slack answered ${error || "an error"}`, hint !== undefined, { hint });
  }
  const text = errorText(original ?? thrown ?? "Slack closed the socket");
  return new ChatError(`Slack could not be reached: ${text}`, false, { cause: thrown });
}
