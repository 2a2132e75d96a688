/** Calls of Slack's Web API that answer a click: no retries, because a person waits. */
import { errorText } from "../../model/errors.ts";
import type { Http, NetworkScope } from "../../model/http.ts";
import { ChatError } from "../clicks/click.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4_194_304;

export interface SlackAddress {
  /** The base of the Web API, ending in a slash. */
  readonly apiUrl: string;
  readonly reach: NetworkScope;
}

/** Makes a call with the bot's token. @throws ChatError */
export type SlackApi = (
  method: string,
  fields: Readonly<Record<string, string>>,
) => Promise<Readonly<Record<string, unknown>>>;

export const createSlackApi =
  (http: Http, { apiUrl, reach }: SlackAddress, token: string): SlackApi =>
  async (method, fields) => {
    const answer = await post(http, new URL(method, apiUrl).href, {
      reach,
      body: new URLSearchParams(fields).toString(),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/x-www-form-urlencoded",
      },
    });
    const read = parsed(answer.body);
    if (read["ok"] !== true)
      throw new ChatError(
        `Slack answered ${typeof read["error"] === "string" ? read["error"] : answer.status}`,
        false,
      );
    return read;
  };

/** Says something to the person who clicked. https://docs.slack.dev/interactivity/handling-user-interaction#responses */
export async function sayInSlack(
  http: Http,
  { url, reach }: { readonly url: string; readonly reach: NetworkScope },
  text: string,
): Promise<void> {
  const body = JSON.stringify({ response_type: "ephemeral", replace_original: false, text });
  const headers = { "content-type": "application/json" };
  const { status } = await post(http, url, { reach, body, headers });
  if (status >= 300) throw new ChatError(`Slack answered ${status} to a private message`, false);
}

const post = (
  http: Http,
  url: string,
  request: {
    readonly reach: NetworkScope;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  },
) =>
  http
    .request({ method: "POST", url, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...request })
    .catch((error: unknown) =>
      Promise.reject(
        new ChatError(`Slack could not be reached: ${errorText(error)}`, false, { cause: error }),
      ),
    );

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
