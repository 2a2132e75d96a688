/**
 * A node:http server on a free loopback port that answers as a test says, and is closed afterwards.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, exactly as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The time of arrival on the machine's clock. */
  readonly atMs: number;
}

export type Answer = (request: Received, response: ServerResponse) => void;

export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  /** Every request so far. */
  readonly received: readonly Received[];
  /** Sets how requests are answered from now on. */
  answer(next: Answer): void;
  close(): Promise<void>;
}

/** Starts listening on 127.0.0.1. Answers 204 until it is changed. */
export async function startLoopbackServer(
  first: Answer = (_, response) => response.writeHead(204).end(),
): Promise<LoopbackServer> {
  let current = first;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", rawHeaders, headers } = request;
      const seen = {
        method,
        url,
        rawHeaders,
        headers,
        body: Buffer.concat(chunks).toString("utf8"),
        atMs: Date.now(),
      };
      received.push(seen);
      current(seen, response);
    });
  });
  // The default of five seconds would close the connection of a test that is held up for longer.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    answer: (next) => {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with a JSON body. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
