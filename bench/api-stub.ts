/** The data service with nothing in it: every list is empty, at once. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ApiStub {
  readonly url: string;
  /** Billed requests so far. */
  readonly billed: number;
  /** When the first billed request arrived, on performance.now(). */
  readonly firstBilled: Promise<number>;
  /** When the next billed request arrives, on performance.now(). */
  nextBilled(): Promise<number>;
  close(): Promise<void>;
}

export async function startApiStub(): Promise<ApiStub> {
  let billed = 0;
  const waiting: ((atMs: number) => void)[] = [];
  let resolveFirst: (atMs: number) => void = () => {};
  const firstBilled = new Promise<number>((resolve) => (resolveFirst = resolve));
  const server = createServer((request, response) => {
    const isUsage = request.url?.includes("key-usage-info") === true;
    if (!isUsage) {
      billed += 1;
      for (const resolve of waiting.splice(0)) resolve(performance.now());
      resolveFirst(performance.now());
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(isUsage ? { key_requests: 0, remaining_requests: 1_000_000, total_requests: 0 } : { tweets: [], next_cursor: null }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get billed() {
      return billed;
    },
    firstBilled,
    nextBilled: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
