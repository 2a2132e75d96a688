/**
 * Writes answers to the socket, and breaks those for which a fault demands it. service.ts decides
 * on their content.
 */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Clock } from "../model/clock.ts";
import type { WireFault } from "./faults/kinds.ts";
import { SANDBOX_HEADER } from "../model/sandbox-header.ts";
import type { ServiceReply } from "./service.ts";

/** The time between two bytes of a slowloris answer (fault number 13). */
const DRIP_MS = 5_000;
const HUGE_BYTES = 60_000_000;

/**
 * Writes an answer. Its Date header has the sandbox's own time, and a further header lets clients
 * recognise the sandbox.
 */
export function writeReply(
  response: ServerResponse,
  reply: ServiceReply,
  nowMs: number,
  clock: Clock,
): void {
  response.sendDate = false;
  response.setHeader("Date", new Date(nowMs).toUTCString());
  response.setHeader(SANDBOX_HEADER, "1");
  const isHtml = reply.text.startsWith("<");
  response.setHeader("Content-Type", isHtml ? "text/html" : "application/json; charset=utf-8");
  for (const [name, value] of Object.entries(reply.fault?.headers ?? {}))
    response.setHeader(name, value);
  if (reply.fault?.wire === undefined) response.writeHead(reply.status).end(reply.text);
  else writeBroken(response, reply, reply.fault.wire, clock);
}

function writeBroken(
  response: ServerResponse,
  reply: ServiceReply,
  fault: WireFault,
  clock: Clock,
): void {
  const bytes = Buffer.from(reply.text);
  if (fault === "hang") return;
  // The API and the control API share one plain socket. A failure below HTTP, such as in TLS or
  // DNS, can therefore only be imitated by a connection reset.
  if (fault === "cut") return void response.socket?.resetAndDestroy();
  if (fault === "huge") return writeHuge(response);
  if (fault === "gzip-bomb")
    return void response
      .setHeader("Content-Encoding", "gzip")
      .writeHead(200)
      .end(gzipSync(Buffer.alloc(HUGE_BYTES, 32)));
  response.setHeader("Content-Length", bytes.length);
  response.writeHead(reply.status);
  if (fault === "drip") return drip(response, bytes, clock);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  response.write(half, () =>
    fault === "reset" ? response.socket?.resetAndDestroy() : response.socket?.destroy(),
  );
}

function writeHuge(response: ServerResponse): void {
  response.writeHead(200);
  response.write('{"next_cursor":null,"tweets":["');
  response.end(Buffer.alloc(HUGE_BYTES, 120));
}

function drip(response: ServerResponse, bytes: Buffer, clock: Clock): void {
  let sent = 0;
  let cancel = (): void => undefined;
  const next = () => {
    response.write(bytes.subarray(sent, (sent += 1)));
    if (sent >= bytes.length) response.end();
    else cancel = clock.after(DRIP_MS, next);
  };
  response.once("close", () => cancel());
  next();
}
