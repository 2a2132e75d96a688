/**
 * Tests bodies of requests in every framing and pace: each is answered or cut off, none makes the
 * server fail, and none occupies it.
 */
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Log } from "../../src/model/log.ts";
import { startServer } from "../../src/server/server.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
} from "./daemon-stand-in.ts";

const JSON_BODY = JSON.stringify({
  matchers: ['watch="brand"'],
  duration: "1h",
  comment: "ünïcode",
  author: "alice",
});
const FORM_BODY = `${new URLSearchParams({ matchers: 'watch="brand"', duration: "1h", comment: "ünïcode", author: "alice" })}`;
/** A boundary as long as those of browsers. */
const BOUNDARY = `----WebKitFormBoundary${"A".repeat(16)}`;
const MULTIPART = [
  "matchers",
  'watch="brand"',
  "duration",
  "1h",
  "comment",
  "ünïcode",
  "author",
  "alice",
].reduce(
  (text, part, at) =>
    at % 2 === 0
      ? `${text}--${BOUNDARY}\r\ncontent-disposition: form-data; name="${part}"\r\n\r\n`
      : `${text}${part}\r\n`,
  "",
);
const ADDED = { matchers: ['watch="brand"'], duration: "1h", comment: "ünïcode", author: "alice" };

interface Route {
  readonly path: string;
  readonly type: string;
  readonly body: string;
  /** The status of the answer to a correct body. */
  readonly good: number;
  readonly reads: boolean;
}

const ROUTES: readonly Route[] = [
  { path: "/api/v1/silences", type: "application/json", body: JSON_BODY, good: 200, reads: true },
  {
    path: "/silences",
    type: "application/x-www-form-urlencoded",
    body: FORM_BODY,
    good: 303,
    reads: true,
  },
  {
    path: "/silences",
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: `${MULTIPART}--${BOUNDARY}--\r\n`,
    good: 303,
    reads: true,
  },
  {
    path: "/silences/1/expire",
    type: "application/x-www-form-urlencoded",
    body: "a=b",
    good: 303,
    reads: false,
  },
  { path: "/api/v1/reload", type: "application/json", body: "{}", good: 200, reads: false },
  {
    path: "/api/v1/silences/replay",
    type: "application/json",
    body: "{}",
    good: 200,
    reads: false,
  },
];

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const LARGE = "x".repeat(5_000_000);

interface Framing {
  readonly header: (body: string) => string;
  readonly sent: (body: string) => readonly string[];
  /** The answer of a route that reads the body. Other routes answer as always. */
  readonly answer: "good" | number;
  /** A text that is sent on after the answer for as long as the connection is open. */
  readonly endless?: string;
  /** Whether the body stops in the middle. */
  readonly stops?: true;
}

const FRAMINGS: Readonly<Record<string, Framing>> = {
  "with its length": {
    header: (body) => `Content-Length: ${Buffer.byteLength(body)}\r\n`,
    sent: (body) => [body],
    answer: "good",
  },
  "in one chunk": {
    header: () => CHUNKED,
    sent: (body) => [chunk(body), "0\r\n\r\n"],
    answer: "good",
  },
  "a character a chunk": {
    header: () => CHUNKED,
    sent: (body) => [...(body.match(/./gsu) ?? []).map(chunk), "0\r\n\r\n"],
    answer: "good",
  },
  "chunked and much too large": {
    header: () => CHUNKED,
    sent: () => [chunk(LARGE), "0\r\n\r\n"],
    answer: 413,
  },
  "with a length and much too large": {
    header: () => `Content-Length: ${LARGE.length}\r\n`,
    sent: () => [LARGE],
    answer: 413,
  },
  "chunked without an end": {
    header: () => CHUNKED,
    sent: () => [],
    answer: 413,
    endless: chunk("x".repeat(10_000)),
  },
  "chunked, stopping half-way": {
    header: () => CHUNKED,
    sent: (body) => [chunk(body.slice(0, 10))],
    answer: 408,
    stops: true,
  },
  "of a length, stopping half-way": {
    header: () => "Content-Length: 500\r\n",
    sent: (body) => [body.slice(0, 10)],
    answer: 408,
    stops: true,
  },
};

async function start() {
  const daemon = createDaemonStandIn();
  daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
  daemon.status = statusView({ silences: [silenceView()] });
  const clock = createVirtualClock(NOW_MS);
  const errors: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (message) => void errors.push(message),
    child: () => log,
  };
  const server = await startServer({ host: "127.0.0.1", port: 0, clock, log, ...daemon });
  onTestFinished(async () => {
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });
  return { daemon, clock, errors, url: new URL(server.url) };
}

/** Resolves with what came back once the other side has closed. */
function send(url: URL, { path, type, body }: Route, { header, sent, endless }: Framing) {
  const socket = connect(Number(url.port), url.hostname);
  let answer = "";
  const answered = new Promise<string>((resolve) => {
    socket.on("data", (part) => {
      answer += String(part);
      resolve(answer);
    });
    socket.on("close", () => resolve(answer));
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  // A connection that is cut off is one of the possible answers.
  socket.on("error", () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: ${type}\r\n${header(body)}\r\n`,
  );
  for (const part of sent(body)) socket.write(part);
  const goOn = () => {
    if (endless !== undefined && !socket.destroyed) socket.write(endless, () => setImmediate(goOn));
  };
  goOn();
  return { answered, closed, end: () => socket.destroy() };
}

const CASES = ROUTES.flatMap((route) =>
  Object.entries(FRAMINGS).map(([name, framing]) => [route.path, name, route, framing] as const),
);

it.each(CASES)("a POST to %s with a body %s", async (_path, _name, route, framing) => {
  const { daemon, clock, errors, url } = await start();
  const call = send(url, route, framing);
  const waits = route.reads && framing.stops === true;
  if (waits) await until("a deadline", () => clock.pending() > 0);
  if (waits) await clock.advance(10_000);
  const wanted = framing.answer === "good" || !route.reads ? route.good : framing.answer;
  expect((await call.answered).split("\r\n")[0]).toMatch(new RegExp(`^HTTP/1.1 ${wanted} `));
  if (framing.endless !== undefined) await call.closed;
  call.end();
  expect(errors).toEqual([]);
  const added = daemon.asked.flatMap((asked) =>
    asked.startsWith("silence ") ? [JSON.parse(asked.slice("silence ".length))] : [],
  );
  expect(added).toEqual(wanted === route.good && route.reads ? [ADDED] : []);
});
