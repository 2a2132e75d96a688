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
  (http: Http, address: SlackAddress, token: string): SlackApi =>
  async (method, fields) => {
    const { read, status } = await askSlack(http, address, { token, method, fields });
    if (read["ok"] !== true) throw new ChatError(`Slack answered ${codeIn(read) ?? status}`, false);
    return read;
  };

/** Returns the error code of an answer; undefined if it has none. */
export const codeIn = ({ error }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof error === "string" ? error : undefined;

interface SlackQuestion {
  readonly token: string;
  readonly method: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface SlackAnswer {
  readonly read: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a call and returns any answer. @throws ChatError if there is none */
export async function askSlack(
  http: Http,
  { apiUrl, reach }: SlackAddress,
  { token, method, fields = {} }: SlackQuestion,
): Promise<SlackAnswer> {
  const { body, status, headers } = await post(http, new URL(method, apiUrl).href, {
    reach,
    body: new URLSearchParams(fields).toString(),
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/x-www-form-urlencoded",
    },
  });
  return { read: parsed(body), status, headers };
}

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
