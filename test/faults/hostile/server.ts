/**
 * Sends requests to the daemon's address and its control socket that none of its clients would
 * send.
 */
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join, resolve } from "node:path";
import fc from "fast-check";
import type { HostileTarget } from "./play-hostile.ts";
import { longText, oddName, oddValue } from "./texts.ts";

type Framing =
  | "none"
  | "length"
  | "chunked"
  | "a byte a chunk"
  | "too short"
  | "too long"
  | "broken chunk"
  | "two lengths";

export interface HostileRequest {
  readonly isSocket: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly framing: Framing;
  /** Bytes to send instead of a request. */
  readonly raw?: string;
}

/** Reads the routes from the sources, so that a new route is tried without a change here. */
function routesInSources(): readonly string[] {
  const folder = resolve(import.meta.dirname, "../../../src/server");
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  const found = texts.flatMap((text) =>
    [...text.matchAll(/\bapp\.(?:get|post|delete|put)\(\s*["`]([^"`]+)["`]/g)].map(
      ([, path = ""]) => path,
    ),
  );
  return [
    ...new Set(
      found.flatMap((path) =>
        path.includes("${")
          ? ["pause", "resume"].map((verb) => path.replace(/\$\{\w+\}/, verb))
          : [path],
      ),
    ),
  ];
}

const ROUTES = routesInSources();
const PARAMS = [
  ...[
    "watch",
    "since",
    "until",
    "by",
    "limit",
    "sink",
    "event",
    "text",
    "author",
    "state",
    "before",
    "from_now",
    "expired",
    "dead",
  ],
  ...["silenced", "dry_run", "payload", "id", "what", "q", "matchers"],
];

const encoded = fc
  .tuple(oddValue, fc.boolean())
  .map(([value, isRaw]) => (isRaw ? value : encodeURIComponent(Buffer.from(value).toString())));
const path = fc
  .record({
    route: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...ROUTES) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("//", "/..", "*", "/%", "/api/v1/%00", "http://evil.example/"),
      },
    ),
    id: fc.oneof(encoded, fc.constantFrom("w", "hook", "1", "2029911223344556677")),
    query: fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 5, arbitrary: fc.constantFrom(...PARAMS) },
          { weight: 1, arbitrary: oddName },
        ),
        fc.oneof(encoded, fc.constantFrom("w", "hook", "1h", "true")),
      ),
      { maxLength: 4 },
    ),
  })
  .map(({ route, id, query }) =>
    `${route.replace(/:\w+/, id)}${query.length === 0 ? "" : `?${query.map(([name, value]) => `${name}=${value}`).join("&")}`}`.replaceAll(
      /[\r\n ]/g,
      "+",
    ),
  );

const object = fc.dictionary(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        "matchers",
        "duration",
        "comment",
        "author",
        "until",
        "id",
        "sink",
        "watch",
        "by",
      ),
    },
    { weight: 1, arbitrary: oddName },
  ),
  fc.oneof(
    oddValue,
    fc.array(fc.oneof(oddValue, fc.constantFrom('watch="w"', "author=~(a+)+$", "lang!=en")), {
      maxLength: 4,
    }),
    fc.jsonValue(),
  ),
  { maxKeys: 5 },
);
const body = fc.oneof(
  { weight: 4, arbitrary: object.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(oddName, encoded), { maxLength: 6 })
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&")),
  },
  { weight: 1, arbitrary: fc.nat(30_000).map((depth) => "[".repeat(depth) + "]".repeat(depth)) },
  { weight: 1, arbitrary: fc.oneof(longText, oddValue) },
);

const HEADERS: readonly (readonly [string, string])[] = [
  ...(
    [
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=a",
      "multipart/form-data",
      "text/plain",
      ";",
    ] as const
  ).map((type) => ["Content-Type", type] as const),
  ...(["Bearer x", "Basic OjpA", "Basic", ""] as const).map(
    (value) => ["Authorization", value] as const,
  ),
  ...(["http://evil.example", "null", "http://localhost"] as const).map(
    (value) => ["Origin", value] as const,
  ),
  ["Sec-Fetch-Site", "cross-site"],
  ["X-Forwarded-For", "1.2.3.4"],
  ["Expect", "100-continue"],
  ["Upgrade", "websocket"],
  ["Range", "bytes=0-"],
  ["Accept-Encoding", "br;q=1e400"],
  ["If-None-Match", "*"],
  ["Content-Encoding", "gzip"],
  ["Cookie", "a=".repeat(3_000)],
];

const inputs: fc.Arbitrary<HostileRequest> = fc
  .record(
    {
      isSocket: fc.boolean(),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("GET", "POST", "POST", "DELETE") },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "HEAD",
            "PUT",
            "OPTIONS",
            "PATCH",
            "TRACE",
            "PROPFIND",
            "get",
            "BREW",
          ),
        },
      ),
      path,
      headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 }),
      body,
      framing: fc.constantFrom<Framing>(
        "none",
        "none",
        "length",
        "length",
        "length",
        "chunked",
        "a byte a chunk",
        "too short",
        "too long",
        "broken chunk",
        "two lengths",
      ),
      raw: fc.oneof(
        longText,
        oddValue,
        fc.constantFrom(
          "\r\n\r\n",
          "GET / HTTP/9.9\r\n\r\n",
          "GET /\r\n",
          "\u0016\u0003\u0001",
          "GET / HTTP/1.1\r\nA\r\n\r\n",
        ),
      ),
    },
    { requiredKeys: ["isSocket", "method", "path", "headers", "body", "framing"] },
  )
  .map(({ raw, ...request }) => (raw === undefined ? request : { ...request, raw }));

/** Returns whether the other side has everything that it needs to answer. */
const isWhole = ({ framing, raw }: HostileRequest): boolean =>
  raw === undefined && !["too short", "broken chunk", "two lengths"].includes(framing);

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

function framed({ framing, body: text }: HostileRequest): readonly [headers: string, body: string] {
  const size = Buffer.byteLength(text);
  if (framing === "length") return [`Content-Length: ${size}\r\n`, text];
  if (framing === "too short") return [`Content-Length: ${size + 100}\r\n`, text];
  if (framing === "too long") return [`Content-Length: ${Math.floor(size / 2)}\r\n`, text];
  if (framing === "two lengths") return [`Content-Length: 1\r\nContent-Length: ${size}\r\n`, text];
  if (framing === "chunked")
    return ["Transfer-Encoding: chunked\r\n", `${text === "" ? "" : chunk(text)}0\r\n\r\n`];
  if (framing === "broken chunk") return ["Transfer-Encoding: chunked\r\n", `${chunk(text)}zz\r\n`];
  if (framing === "a byte a chunk")
    return [
      "Transfer-Encoding: chunked\r\n",
      `${[...Buffer.from(text.slice(0, 300))].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("")}0\r\n\r\n`,
    ];
  return ["", ""];
}

export interface Doors {
  readonly port: number;
  readonly socketPath: string;
}

const ANSWERED_WITHIN_MS = 15_000;

/**
 * Sends a request. @returns the answer until the other side closed, or until there is enough of an
 * endless one
 */
function exchange(doors: Doors, request: HostileRequest): Promise<string> {
  const socket: Socket = request.isSocket
    ? connect(doors.socketPath)
    : connect(doors.port, "127.0.0.1");
  const [lengths, sent] = framed(request);
  const { method, path: target, headers, raw } = request;
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}${lengths}\r\n`;
  return new Promise((resolve, reject) => {
    let text = "";
    const finish = (error?: Error) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on("error", () => undefined);
      // A reset keeps no port in TIME_WAIT. A hundred thousand requests would need too many.
      if (request.isSocket) socket.destroy();
      else socket.resetAndDestroy();
      if (error === undefined) resolve(text);
      else reject(error);
    };
    const late = () => finish(isWhole(request) ? new Error("nobody answers") : undefined);
    const timer = setTimeout(late, isWhole(request) ? ANSWERED_WITHIN_MS : 5);
    socket.on("data", (part) => {
      text += part.toString("latin1");
      if (/\/tail/.test(target) && text.includes("\r\n\r\n")) finish();
    });
    socket.on("close", () => finish());
    socket.on("error", () => finish());
    socket.on("connect", () => socket.write(raw ?? head + sent, "latin1"));
  });
}

export function serverTarget(doors: Doors, isAlive: () => boolean): HostileTarget<HostileRequest> {
  return {
    name: "a request",
    inputs,
    async feed(request) {
      const text = await exchange(doors, request);
      if (!isAlive()) throw new Error("the daemon ended");
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      if (status === 500) throw new Error(`it fails: ${text.slice(0, 400)}`);
      return [text];
    },
  };
}

/**
 * Sends many bodies at once, each at one byte a second or without an end. Other requests must be
 * answered meanwhile. @returns the answer to each
 */
export function sendSlowly({ port }: Doors, count: number): readonly Promise<string>[] {
  return Array.from({ length: count }, (_, n) => {
    const socket = connect(port, "127.0.0.1");
    const isChunked = n % 2 === 0;
    let text = "";
    socket.on("data", (part) => (text += String(part)));
    socket.on("error", () => undefined);
    socket.write(
      `POST /api/v1/silences HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 60000"}\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write(isChunked ? chunk("x") : "x"), 500);
    return new Promise((resolve) => {
      socket.on("close", () => {
        clearInterval(drip);
        resolve(text);
      });
    });
  });
}
