/**
 * Tests requests through the proxy that the environment names: which ones use it, how they arrive,
 * and that the rules for private addresses hold.
 */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../src/model/http.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import type { ResolveHost } from "../../src/runtime/http-reach.ts";
import { readProxies } from "../../src/runtime/proxies.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";

const via = (url: string, env: Record<string, string>) =>
  readProxies(env).proxyFor(new URL(url))?.href;
const BOTH = { HTTPS_PROXY: "http://secure.example:3128", HTTP_PROXY: "plain.example:8080" };

describe("which proxy a request takes", () => {
  it("depends on its scheme, lower case before upper case", () => {
    expect(via("https://a.example/", BOTH)).toBe("http://secure.example:3128/");
    expect(via("http://a.example/", BOTH)).toBe("http://plain.example:8080/");
    expect(via("https://a.example/", { ...BOTH, https_proxy: "http://lower.example" })).toBe(
      "http://lower.example/",
    );
    expect(via("http://a.example/", { HTTPS_PROXY: "http://secure.example:3128" })).toBeUndefined();
    expect(via("https://a.example/", { HTTPS_PROXY: "" })).toBeUndefined();
  });

  it.each(["http://localhost:1/", "http://127.0.0.1/", "https://[::1]/", "http://dev.localhost/"])(
    "is none for loopback: %s",
    (url) => {
      expect(via(url, BOTH)).toBeUndefined();
    },
  );

  it.each([
    ["example.com", "https://example.com/", true],
    ["example.com", "https://api.example.com/", true],
    [".example.com", "https://api.example.com/", true],
    ["*.example.com", "https://api.example.com/", true],
    ["example.com", "https://notexample.com/", false],
    ["a.example, EXAMPLE.com", "https://example.com/", true],
    ["example.com:8443", "https://example.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["*", "https://example.com/", true],
    ["10.0.0.5", "http://10.0.0.5/", true],
    ["10.0.0.0/8", "http://10.200.3.4/", true],
    ["10.0.0.0/8", "http://11.0.0.1/", false],
    ["10.0.0.0/8", "http://10.example/", false],
    ["10.0.0.0/8, example.com", "https://example.com/", true],
    ["192.168.7.0/30", "http://192.168.7.4/", false],
    ["10.0.0.0/8", "http://[::ffff:10.1.2.3]/", true],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["fd00::/8", "http://[fe12::1]/", false],
    ["[fd12::1]:8080", "http://[fd12:0::1]:8080/", true],
    ["[fd12::1]:8080", "http://[fd12::1]/", false],
    ["10.0.0.5:8080", "http://10.0.0.5:8080/", true],
    ["10.0.0.5:8080", "http://10.0.0.5/", false],
    ["10.", "http://10.0.0.5/", false],
    ["10.0.0.0/99", "http://10.0.0.5/", false],
  ])("is none where NO_PROXY is %s, for %s: %s", (exceptions, url, isStraight) => {
    expect(via(url, { ...BOTH, NO_PROXY: exceptions }) === undefined).toBe(isStraight);
  });

  it("is said without its password", () => {
    const proxies = readProxies({
      HTTPS_PROXY: "http://me:secret@secure.example:3128",
      NO_PROXY: "intranet",
    });
    expect(proxies.summary).toBe("https:// through secure.example:3128, not intranet");
    expect(readProxies({ NO_PROXY: "intranet" }).summary).toBeUndefined();
  });

  it("is said with the exceptions that are obeyed, and with those that are not", () => {
    const summaryOf = (exceptions: string) =>
      readProxies({ HTTPS_PROXY: "http://p.example:1", NO_PROXY: exceptions }).summary;
    expect(summaryOf("10.0.0.0/8,*.example.com, b.example:80")).toBe(
      "https:// through p.example:1, not 10.0.0.0/8, *.example.com, b.example:80",
    );
    expect(summaryOf("10., intranet, 192.168.*, 10.0.0.0/99, http://x.example")).toBe(
      "https:// through p.example:1, not intranet; ignored in NO_PROXY, because it is neither a host nor an address range: 10., 192.168.*, 10.0.0.0/99, http://x.example",
    );
  });

  it.each(["socks5://me:secret@proxy.example:1080", "http://", "http://me:secret@:99999"])(
    "is refused where it is none: %s",
    (address) => {
      expect(() => readProxies({ HTTPS_PROXY: address })).toThrow(
        expect.objectContaining({
          code: "PROXY_INVALID",
          message: expect.not.stringContaining("secret"),
          hint: expect.stringContaining("http://"),
        }),
      );
    },
  );
});

describe("a request through a proxy", () => {
  let target: LoopbackServer;
  let proxy: Server;
  let asked: { readonly path: string; readonly authorization: string | undefined }[];
  let refuses: number | undefined;
  let http: HttpAgent;
  const resolve: ResolveHost = (host, _options, done) => {
    if (host === "inside.example") return done(null, [{ address: "10.1.2.3", family: 4 }]);
    if (host === "outside.example") return done(null, [{ address: "93.184.216.34", family: 4 }]);
    done(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
  };
  const get = (url: string, changes: Partial<HttpRequest> = {}) =>
    http.request({
      method: "GET",
      url,
      headers: {},
      timeoutMs: 5_000,
      maxBytes: 1_000,
      reach: "public",
      ...changes,
    });

  beforeAll(async () => {
    target = await startLoopbackServer((_, response) => response.writeHead(200).end("reached"));
    proxy = createServer((_, response) => response.writeHead(405).end());
    // Every name leads to the target, because only the proxy resolves names here.
    proxy.on("connect", (request, socket) => {
      asked.push({
        path: request.url ?? "",
        authorization: request.headers["proxy-authorization"],
      });
      if (refuses !== undefined) return socket.end(`HTTP/1.1 ${refuses} no\r\n\r\n`);
      const upstream = connect(target.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        socket.pipe(upstream).pipe(socket);
      });
      for (const [one, other] of [
        [upstream, socket],
        [socket, upstream],
      ] as const)
        one.on("error", () => other.destroy());
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const { port } = proxy.address() as AddressInfo;
    http = createHttpAgent({
      resolve,
      proxies: readProxies({ HTTP_PROXY: `http://me:pass%20word@127.0.0.1:${port}` }),
    });
  });
  beforeEach(() => {
    asked = [];
    refuses = undefined;
  });
  afterAll(async () => {
    await http.close();
    await target.close();
    await new Promise((done) => {
      proxy.close(done);
      proxy.closeAllConnections();
    });
  });

  it("reaches its host by a tunnel, with the proxy's user and password", async () => {
    expect(await get("http://outside.example/path", { headers: { "x-one": "1" } })).toMatchObject({
      status: 200,
      body: "reached",
    });
    expect(asked).toEqual([
      {
        path: "outside.example:80",
        authorization: `Basic ${Buffer.from("me:pass word").toString("base64")}`,
      },
    ]);
    expect(target.received.at(-1)).toMatchObject({
      url: "/path",
      headers: { host: "outside.example", "x-one": "1" },
    });
    expect(target.received.at(-1)?.headers["proxy-authorization"]).toBeUndefined();
  });

  it("may be for a name that only the proxy knows", async () => {
    expect(await get("http://known-to-the-proxy.example/")).toMatchObject({ status: 200 });
  });

  it.each([
    "http://10.0.0.1/",
    "http://169.254.169.254/latest",
    "http://[fd00::1]/",
    "http://inside.example/",
  ])("is refused where it must be public and is not: %s", async (url) => {
    await expect(get(url)).rejects.toMatchObject({ code: "HTTP_ADDRESS_REFUSED" });
    expect(asked).toEqual([]);
  });

  it("goes to a private address where that is allowed", async () => {
    expect(await get("http://inside.example/", { reach: "any" })).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(1);
  });

  it("to loopback does not take the proxy", async () => {
    expect(await get(`${target.url}/straight`, { reach: "any" })).toMatchObject({ status: 200 });
    expect(await get(`${target.url}/straight`, { reach: "loopback" })).toMatchObject({
      status: 200,
    });
    await expect(get("http://outside.example/", { reach: "loopback" })).rejects.toMatchObject({
      code: "HTTP_ADDRESS_REFUSED",
    });
    expect(asked).toEqual([]);
  });

  it.each([
    [407, "user:password@"],
    [403, "NO_PROXY"],
  ])(
    "that the proxy refuses with %i was not delivered, and says what to do",
    async (status, cure) => {
      refuses = status;
      await expect(get(`http://refused-${status}.example/`)).rejects.toMatchObject({
        code: "HTTP_CONNECT",
        maybeDelivered: false,
        message: `refused-${status}.example: the proxy refused the connection (${status})`,
        hint: expect.stringContaining(cure),
      });
    },
  );

  it.each(["https://outside.example/", "http://outside.example/"])(
    "is the culprit where it does not answer: %s",
    async (url) => {
      const dead = createHttpAgent({
        resolve,
        proxies: readProxies({
          https_proxy: "http://me:secret@127.0.0.1:9",
          HTTP_PROXY: "127.0.0.1:9",
        }),
      });
      const error = await dead
        .request({ method: "GET", url, timeoutMs: 5_000, maxBytes: 1_000, reach: "public" })
        .catch((thrown: unknown) => thrown);
      await dead.close();
      const variable = url.startsWith("https") ? "https_proxy" : "HTTP_PROXY";
      expect(error).toMatchObject({
        code: "HTTP_CONNECT",
        message: "outside.example: the proxy 127.0.0.1:9 could not be reached (ECONNREFUSED)",
        hint: `Check ${variable}, which names this proxy, and that it runs; or name outside.example in NO_PROXY.`,
        maybeDelivered: false,
      });
    },
  );
});
