import { createServer as createTlsServer } from "node:https";
import type { LookupAddress } from "node:dns";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { HttpError, type HttpRequest } from "../../src/model/http.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import type { ResolveHost } from "../../src/runtime/http-reach.ts";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../support/loopback-server.ts";

let server: LoopbackServer;
let agent: HttpAgent;

beforeEach(async () => {
  server = await startLoopbackServer();
  agent = createHttpAgent();
});

afterEach(async () => {
  await agent.close();
  await server.close();
});

const get = (over: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url: `${server.url}/`,
  timeoutMs: 5_000,
  maxBytes: 100_000,
  reach: "any",
  ...over,
});

const failure = async (request: HttpRequest, over: HttpAgent = agent): Promise<HttpError> => {
  const error = await over.request(request).then(
    (answer) => new Error(`answered ${answer.status}`),
    (caught: unknown) => caught,
  );
  if (!(error instanceof HttpError)) throw error;
  return error;
};

const body =
  (bytes: Buffer | string, headers: Record<string, string> = {}, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(bytes);
  };

describe("a request", () => {
  it("keeps the case of header names and sends body, method and path as given", async () => {
    await agent.request(
      get({
        method: "POST",
        url: `${server.url}/v3/x?a=b&a=c`,
        headers: { ApiKey: "k", "Content-Type": "application/json" },
        body: '{"ä":1}',
      }),
    );
    const [seen] = server.received;
    expect(seen).toMatchObject({ method: "POST", url: "/v3/x?a=b&a=c", body: '{"ä":1}' });
    expect(seen?.rawHeaders).toContain("ApiKey");
    expect(seen?.rawHeaders).toContain("Content-Type");
  });

  it("reuses connections for requests that follow each other", async () => {
    const ports = new Set<number | undefined>();
    server.answer((_, response) => {
      ports.add(response.socket?.remotePort);
      response.end("ok");
    });
    for (let i = 0; i < 10; i += 1) await agent.request(get());
    // An answer is handed over just before its connection is free again, so a second one may be
    // opened.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it("returns a redirect instead of following it", async () => {
    server.answer(body("", { location: `${server.url}/elsewhere` }, 302));
    const answer = await agent.request(get());
    expect(answer.status).toBe(302);
    expect(answer.headers["location"]).toBe(`${server.url}/elsewhere`);
    expect(server.received).toHaveLength(1);
  });

  it("that cannot be written fails without a retry and without leaving", async () => {
    const error = await failure(get({ headers: { ApiKey: "a\nb" } }));
    expect(error).toMatchObject({ maybeDelivered: false, retry: "no" });
    expect((await failure(get({ url: "nonsense" }))).maybeDelivered).toBe(false);
    expect(server.received).toHaveLength(0);
  });
});

describe("a body", () => {
  const text = "Grüße 👋 ".repeat(200);
  it.each([
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", Buffer.from(text)],
  ])("in %s is unpacked", async (encoding, bytes) => {
    server.answer(body(bytes, { "content-encoding": encoding }));
    expect((await agent.request(get())).body).toBe(text);
  });

  it("loses its byte order mark", async () => {
    server.answer(body("\uFEFF{}"));
    expect((await agent.request(get())).body).toBe("{}");
  });

  it("is cut at the limit, announced or not", async () => {
    server.answer(body("x".repeat(100_001)));
    expect((await failure(get())).code).toBe("HTTP_TOO_LARGE");
    server.answer((_, response) => {
      for (let i = 0; i < 11; i += 1) response.write("x".repeat(10_000));
      response.end();
    });
    expect((await failure(get())).code).toBe("HTTP_TOO_LARGE");
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(50_000_000))],
    ["br", brotliCompressSync(Buffer.alloc(50_000_000))],
  ])("that is a %s bomb is cut", async (encoding, bytes) => {
    server.answer(body(bytes, { "content-encoding": encoding }));
    expect((await failure(get())).code).toBe("HTTP_TOO_LARGE");
  });

  it("that cannot be unpacked is no answer", async () => {
    server.answer(body(gzipSync(text).subarray(0, -12), { "content-encoding": "gzip" }));
    expect(await failure(get())).toMatchObject({ code: "HTTP_RESET", maybeDelivered: true });
    server.answer(body("x", { "content-encoding": "zstd" }));
    expect((await failure(get())).code).toBe("HTTP_RESET");
  });
});

describe("the deadline", () => {
  /**
   * Resolves with the failure once the request has arrived, however long a busy machine takes to
   * connect.
   */
  const failureOnceArrived = async (answer: Answer): Promise<HttpError> => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const arrived = new Promise<void>((resolve) => {
      server.answer((request, response) => {
        answer(request, response);
        resolve();
      });
    });
    const failed = failure(get({ timeoutMs: 150 }));
    await arrived;
    vi.advanceTimersByTime(150);
    return failed;
  };

  it("covers a body that trickles in and frees the socket", async () => {
    let closed: () => void = () => undefined;
    const socketClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const error = await failureOnceArrived((_, response) => {
      response.writeHead(200).write("x");
      const drip = setInterval(() => response.write("x"), 20);
      response.on("close", () => {
        clearInterval(drip);
        closed();
      });
    });
    expect(error).toMatchObject({ code: "HTTP_TIMEOUT", maybeDelivered: true });
    await socketClosed;
  });

  it("covers an answer that never comes", async () => {
    const error = await failureOnceArrived(() => undefined);
    expect(error.code).toBe("HTTP_TIMEOUT");
    expect(error.message).toContain("waiting for the answer");
  });

  it("covers a name that never resolves: nothing was delivered", async () => {
    const stuck = createHttpAgent({ resolve: () => undefined });
    const error = await failure(get({ url: "http://host.example/", timeoutMs: 50 }), stuck);
    expect(error).toMatchObject({ code: "HTTP_TIMEOUT", maybeDelivered: false });
    await stuck.close();
  });

  it("that passed while connecting keeps the request from leaving later", async () => {
    const waiting: (() => void)[] = [];
    let isStuck = true;
    const late = createHttpAgent({
      resolve: (_host, _options, done) => {
        const answer = () => done(null, [{ address: "127.0.0.1", family: 4 }]);
        if (isStuck) waiting.push(answer);
        else answer();
      },
    });
    const url = `http://host.example:${server.port}/`;
    expect((await failure(get({ url, timeoutMs: 50 }), late)).maybeDelivered).toBe(false);
    isStuck = false;
    for (const answer of waiting) answer();
    await late.request(get({ url: `${url}second` }));
    expect(server.received.map((seen) => seen.url)).toEqual(["/second"]);
    await late.close();
  });

  it("gives way to the caller's signal", async () => {
    server.answer(() => undefined);
    const controller = new AbortController();
    const failed = failure(get({ signal: controller.signal }));
    controller.abort();
    expect((await failed).code).toBe("HTTP_ABORTED");
    expect(await failure(get({ signal: AbortSignal.abort() }))).toMatchObject({
      code: "HTTP_ABORTED",
      maybeDelivered: false,
    });
  });
});

describe("a broken exchange", () => {
  it("is a reset that may have been delivered when the answer was cut", async () => {
    server.answer((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setImmediate(() => response.destroy());
    });
    expect(await failure(get())).toMatchObject({ code: "HTTP_RESET", maybeDelivered: true });
  });

  it("is a reset when the connection closes before any answer", async () => {
    server.answer((_, response) => response.destroy());
    expect(await failure(get())).toMatchObject({ code: "HTTP_RESET", maybeDelivered: true });
  });

  it("says that nothing was delivered when nobody listens", async () => {
    const port = server.port;
    await server.close();
    const error = await failure(get({ url: `http://127.0.0.1:${port}/secret-path` }));
    expect(error).toMatchObject({ code: "HTTP_CONNECT", maybeDelivered: false, retry: "later" });
    expect(error.message).not.toContain("secret-path");
  });

  it("names DNS and TLS as such", async () => {
    const nameless = createHttpAgent({
      resolve: (host, _options, done) =>
        done(Object.assign(new Error(host), { code: "ENOTFOUND" }), []),
    });
    expect(await failure(get({ url: "http://host.example/" }), nameless)).toMatchObject({
      code: "HTTP_DNS",
      maybeDelivered: false,
    });
    await nameless.close();
    expect(await failure(get({ url: `https://127.0.0.1:${server.port}/` }))).toMatchObject({
      code: "HTTP_TLS",
      maybeDelivered: false,
    });
  });

  it("is what a server with an untrusted certificate gets", async () => {
    const tls = createTlsServer({ SNICallback: (_, done) => done(null) });
    await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
    const { port } = tls.address() as { port: number };
    const error = await failure(get({ url: `https://127.0.0.1:${port}/` }));
    expect(error).toMatchObject({ code: "HTTP_TLS", maybeDelivered: false });
    await new Promise((resolve) => tls.close(resolve));
  });

  it("ends as aborted when the agent closes", async () => {
    server.answer(() => undefined);
    const failed = failure(get());
    await new Promise((resolve) => setImmediate(resolve));
    await agent.close();
    expect((await failed).code).toBe("HTTP_ABORTED");
  });
});

describe("reach", () => {
  const resolving = (...addresses: string[]): ResolveHost => {
    const found = addresses.map(
      (address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }),
    );
    return (_host, _options, done) => done(null, found);
  };

  it("is checked against the address a name resolves to", async () => {
    const guarded = createHttpAgent({ resolve: resolving("127.0.0.1") });
    const url = `http://public.example:${server.port}/`;
    expect(await failure(get({ url, reach: "public" }), guarded)).toMatchObject({
      code: "HTTP_ADDRESS_REFUSED",
      maybeDelivered: false,
      retry: "no",
    });
    expect((await guarded.request(get({ url, reach: "any" }))).status).toBe(204);
    expect((await guarded.request(get({ url, reach: "loopback" }))).status).toBe(204);
    await guarded.close();
  });

  it("is not fooled by a name that resolves differently the second time, nor by a connection opened for another reach", async () => {
    let asked = 0;
    const rebinding = createHttpAgent({
      resolve: (_host, _options, done) => {
        asked += 1;
        done(null, [{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]);
      },
    });
    const url = `http://rebound.example:${server.port}/`;
    await rebinding.request(get({ url, reach: "loopback" }));
    expect((await failure(get({ url, reach: "public" }), rebinding)).code).toBe(
      "HTTP_ADDRESS_REFUSED",
    );
    expect(server.received).toHaveLength(1);
    await rebinding.close();
  });

  it("is checked for literal addresses, in every spelling", async () => {
    const hosts = [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "0.0.0.0",
      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
    ];
    for (const host of hosts) {
      const error = await failure(get({ url: `http://${host}:${server.port}/`, reach: "public" }));
      expect(error.code, host).toBe("HTTP_ADDRESS_REFUSED");
    }
    expect(server.received).toHaveLength(0);
  });

  it("drops the refused addresses of a name that has allowed ones, too", async () => {
    const mixed = createHttpAgent({ resolve: resolving("10.1.2.3", "127.0.0.1") });
    expect(
      (await mixed.request(get({ url: `http://mixed.example:${server.port}/`, reach: "loopback" })))
        .status,
    ).toBe(204);
    await mixed.close();
  });
});
