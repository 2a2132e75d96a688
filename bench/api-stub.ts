/** A data service without data: every list is empty, and every answer comes at once. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface QueryRequest {
  /** The time of the request, on performance.now(). */
  readonly atMs: number;
  /**
   * The connection of the request. It shows which process asked, because it ends with that process.
   */
  readonly socket: Socket;
}

export interface ApiStub {
  readonly url: string;
  /** The number of billed requests so far. */
  readonly billed: number;
  /** When the first billed request arrived, on performance.now(). */
  readonly firstBilled: Promise<number>;
  /** Called for each billed request. */
  onAsked: (query: string, atMs: number) => void;
  /** The last request of each query. */
  readonly lastOf: ReadonlyMap<string, QueryRequest>;
  close(): Promise<void>;
}

export async function startApiStub(): Promise<ApiStub> {
  let billed = 0;
  const lastOf = new Map<string, QueryRequest>();
  let resolveFirst: (atMs: number) => void = () => {};
  const firstBilled = new Promise<number>((resolve) => (resolveFirst = resolve));
  const server = createServer((request, response) => {
    const isUsage = request.url?.includes("key-usage-info") === true;
    const atMs = performance.now();
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      if (!isUsage) {
        billed += 1;
        const query = queryOf(body);
        lastOf.set(query, { atMs, socket: request.socket });
        stub.onAsked(query, atMs);
        resolveFirst(atMs);
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          isUsage
            ? { key_requests: 0, remaining_requests: 1_000_000, total_requests: 0 }
            : { tweets: [], next_cursor: null },
        ),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stub: ApiStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get billed() {
      return billed;
    },
    firstBilled,
    onAsked: () => undefined,
    lastOf,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return stub;
}

/** Returns the query without its time bounds. */
const queryOf = (body: string): string =>
  (/"query":"(.*?)"/.exec(body)?.[1] ?? "")
    .replace(/ ?\b(since|until)_time:\d+/g, "")
    .replace(/[()]/g, "")
    .trim();
