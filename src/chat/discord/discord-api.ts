/** Calls of Discord's API that answer a click, and the one that names the gateway. No retries. */
import { errorText } from "../../model/errors.ts";
import type { Http, NetworkScope } from "../../model/http.ts";
import type { JsonObject } from "../../model/json.ts";
import { ChatError } from "../clicks/click.ts";
import type { DiscordClick } from "./discord-click.ts";

/** A click must be answered within three seconds. */
const ANSWER_TIMEOUT_MS = 3_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;
/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type */
const DEFERRED_UPDATE = 6;
/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const EPHEMERAL = 64;

const TOKEN_HINT = "Put a valid bot token into the sinks' `token` or `chat.discord.token`.";

export interface DiscordAddress {
  /** The base of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly reach: NetworkScope;
}

type ClickKeys = Pick<DiscordClick, "interactionId" | "applicationId" | "token">;

export interface DiscordApi {
  /** Answers Discord that the click arrived. The person sees no change. */
  defer(click: ClickKeys): Promise<void>;
  say(click: ClickKeys, text: string): Promise<void>;
  /** Returns the answer of GET to this path, asked as the bot. @throws ChatError */
  read(path: string, token: string): Promise<unknown>;
  /** Returns the answer of GET /gateway/bot. */
  gateway(token: string): Promise<unknown>;
}

export function createDiscordApi(http: Http, { apiUrl, reach }: DiscordAddress): DiscordApi {
  const base = `${apiUrl}/v10`;
  const ask = async (
    path: string,
    timeoutMs: number,
    sent: { readonly body?: JsonObject; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<string> => {
    const { body, headers } = sent;
    const request = { url: `${base}${path}`, timeoutMs, maxBytes: MAX_BYTES, reach } as const;
    const answer = await http
      .request({
        ...request,
        method: body === undefined ? "GET" : "POST",
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch((error: unknown) => {
        const message = `Discord could not be reached: ${errorText(error)}`;
        throw new ChatError(message, false, { cause: error });
      });
    if (answer.status < 300) return answer.body;
    const isRefused = answer.status === 401 || answer.status === 403;
    throw new ChatError(`Discord answered ${answer.status}`, isRefused, {
      hint: isRefused ? TOKEN_HINT : undefined,
    });
  };
  const read = async (path: string, token: string): Promise<unknown> => {
    const headers = { authorization: `Bot ${token}` };
    return JSON.parse(await ask(path, TIMEOUT_MS, { headers })) as unknown;
  };
  return {
    read,
    async defer({ interactionId, token }) {
      const path = `/interactions/${interactionId}/${encodeURIComponent(token)}/callback`;
      await ask(path, ANSWER_TIMEOUT_MS, { body: { type: DEFERRED_UPDATE } });
    },
    async say({ applicationId, token }, text) {
      const path = `/webhooks/${applicationId}/${encodeURIComponent(token)}`;
      const body = { content: text, flags: EPHEMERAL, allowed_mentions: { parse: [] } };
      await ask(path, TIMEOUT_MS, { body });
    },
    gateway: (token) => read("/gateway/bot", token),
  };
}
