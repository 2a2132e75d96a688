/** Starts a sandbox on a virtual clock and asks it over real HTTP, as a careful client would. */
import { request } from "node:http";
import { onTestFinished } from "vitest";
import { startSandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export const START_MS = Date.UTC(2026, 2, 6, 13, 38, 49);

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint: answers of many shapes
  readonly body: any;
}

/** Closed when the test ends. */
export async function openSandbox(options: Partial<SandboxOptions> = {}) {
  const sandbox = await serveSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Serves a sandbox. The caller closes it. */
export async function serveSandbox(options: Partial<SandboxOptions> = {}) {
  const clock = createVirtualClock(START_MS);
  const sandbox = await startSandbox({ clock, keys: ["k"], accounts: 60, ...options });

  function send(
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = { ApiKey: "k" },
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${sandbox.url}${path}`,
        {
          method,
          headers: {
            ...(body === undefined
              ? {}
              : {
                  "Content-Type": "application/json",
                  "Content-Length": String(Buffer.byteLength(body)),
                }),
            ...headers,
          },
        },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text,
              body: parse(text),
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  const get = (path: string, headers?: Readonly<Record<string, string>>) =>
    send("GET", `/v3/${path}`, undefined, headers);
  const post = (path: string, body: unknown) => send("POST", `/v3/${path}`, JSON.stringify(body));
  const control = (method: string, path: string, body?: unknown) =>
    send(method, `/_sandbox/${path}`, body === undefined ? undefined : JSON.stringify(body), {});

  /**
   * Reads all pages of an endpoint, a second apart so that the rate limit never applies. Digits of
   * int64 cursors are kept.
   */
  async function pages(
    method: "GET" | "POST",
    path: string,
    input: Readonly<Record<string, string>>,
    most = 50,
  ): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined && replies.length < most; ) {
      await clock.advance(1_000);
      const asked: Record<string, string> =
        cursor === "" ? { ...input } : { ...input, next_cursor: cursor };
      const reply: Reply =
        method === "GET"
          ? await get(`${path}?${new URLSearchParams(asked)}`)
          : await post(path, asked);
      replies.push(reply);
      const found = /"next_cursor":(?:"([^"]+)"|(\d+))/.exec(reply.text);
      cursor = found?.[1] ?? found?.[2];
    }
    return replies;
  }

  return { ...sandbox, clock, send, get, post, control, pages };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
