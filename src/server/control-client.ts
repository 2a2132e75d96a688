/**
 * The command's side of the control socket: sends one request to the running daemon. No other file
 * of this room opens connections.
 */
import { lstat } from "node:fs/promises";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { dirname } from "node:path";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import { sharedFolder } from "./control-path.ts";

export interface ControlAnswer {
  readonly status: number;
  /** The parsed JSON, or the text if the answer is not JSON, as for `/metrics`. */
  readonly body: Json;
}

/**
 * The error for a daemon that gave no answer.
 * - `CONTROL_NOT_RUNNING`: no daemon runs on this state, so the caller may open the state itself.
 * - `CONTROL_DENIED`: the daemon runs as another user.
 * - `CONTROL_TIMEOUT`, `CONTROL_FAILED`: the daemon runs, but did not answer.
 */
export class ControlError extends ChirpwatchError {}

/**
 * The time limit of a request. It is long because a reload may look up accounts and read secrets
 * before it answers.
 */
const TIMEOUT_MS = 30_000;

export type ControlMethod = "GET" | "POST" | "DELETE";

export interface ControlOptions {
  /** The body, which is sent as JSON. */
  readonly body?: Json;
  readonly timeoutMs?: number;
}

/**
 * Sends a request to the control socket at `socketPath` and returns the answer, whatever its
 * status. `path` is a path of the API, such as `/api/v1/status`. @throws ControlError if there is
 * no answer
 */
export async function callControl(
  socketPath: string,
  method: ControlMethod,
  path: string,
  { body, timeoutMs = TIMEOUT_MS }: ControlOptions = {},
): Promise<ControlAnswer> {
  try {
    await refuseForeignFolder(socketPath);
    const answer = await send(
      { socketPath, method, path, timeout: timeoutMs },
      body === undefined ? undefined : JSON.stringify(body),
    );
    const text = Buffer.concat(await answer.toArray()).toString("utf8");
    const isJson = /^application\/(problem\+)?json/.test(answer.headers["content-type"] ?? "");
    return { status: answer.statusCode ?? 0, body: isJson ? (JSON.parse(text) as Json) : text };
  } catch (error) {
    throw error instanceof ControlError
      ? error
      : classify(error as NodeJS.ErrnoException, socketPath);
  }
}

export interface ControlStream {
  /** Called with the data of each server-sent event. */
  onData(data: string): void;
  onOpen(): void;
  readonly signal: AbortSignal;
}

/**
 * Follows a stream of server-sent events. Resolves when the daemon ends the stream or the signal
 * aborts it. @throws ControlError if the stream does not begin
 */
export async function followControl(
  socketPath: string,
  path: string,
  { onData, onOpen, signal }: ControlStream,
): Promise<void> {
  try {
    await refuseForeignFolder(socketPath);
    const answer = await send(
      { socketPath, method: "GET", path, timeout: TIMEOUT_MS, signal },
      undefined,
    );
    if (answer.statusCode !== 200)
      throw new ControlError("CONTROL_FAILED", `the running daemon answered ${answer.statusCode}`);
    answer.socket.setTimeout(0);
    onOpen();
    await readEvents(answer, onData).catch(() => undefined);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ControlError
      ? error
      : classify(error as NodeJS.ErrnoException, socketPath);
  }
}

async function readEvents(answer: IncomingMessage, onData: (data: string) => void): Promise<void> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    text += String(chunk);
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events)
      if (event.startsWith("data: ")) onData(event.slice("data: ".length));
  }
}

function send(
  to: RequestOptions & { readonly timeout: number },
  body: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request({ ...to, agent: false }, resolve);
    const late = `the running daemon did not answer within ${to.timeout / 1_000} s`;
    call.on("timeout", () => call.destroy(new ControlError("CONTROL_TIMEOUT", late)));
    call.on("error", reject);
    call.end(body);
  });
}

/**
 * Refuses a socket whose folder belongs to another user. The folder for long paths is below the
 * temporary folder, where another user could have created it first.
 */
async function refuseForeignFolder(socketPath: string): Promise<void> {
  const folder = dirname(socketPath);
  if (folder !== sharedFolder()) return;
  const found = await lstat(folder);
  if (found.uid !== process.getuid?.())
    throw new ControlError("CONTROL_DENIED", `${folder} belongs to another user`);
}

function classify(error: NodeJS.ErrnoException, socketPath: string): ControlError {
  if (error.code === "ENOENT" || error.code === "ECONNREFUSED")
    return new ControlError("CONTROL_NOT_RUNNING", "no daemon is running on this state file", {
      hint: "start it with `chirpwatch run`",
      cause: error,
    });
  if (error.code === "EACCES" || error.code === "EPERM")
    return new ControlError("CONTROL_DENIED", `this user may not open ${socketPath}`, {
      hint: "run the command as the daemon's user",
      cause: error,
    });
  return new ControlError(
    "CONTROL_FAILED",
    `the running daemon gave no whole answer: ${errorText(error)}`,
    { cause: error },
  );
}
