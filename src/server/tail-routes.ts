/**
 * The route that streams the lines of `tail` as server-sent events, until the caller disconnects or
 * the daemon stops.
 */
import type { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { addressSchema, textValue } from "./contract/query.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { problem } from "./openapi/problem.ts";
import type { TailLine } from "./schema/tail-view.ts";
import type { Views } from "./contract/views.ts";

export interface TailRouteDeps {
  readonly clock: Clock;
  readonly views: Pick<Views, "tail">;
}

/**
 * How often an empty comment is sent, so that the caller and any proxy see that the connection is
 * still open.
 */
const COMMENT_EVERY_MS = 15_000;
/**
 * The maximum number of bytes that a caller has not read yet. Above it the stream is closed, and
 * the caller may connect again.
 */
const MAX_UNREAD_BYTES = 1_048_576;
const MAX_CALLERS = 32;

export function addTailRoute(app: Hono, { clock, views }: TailRouteDeps): void {
  let callers = 0;
  const described = describe({
    id: "followEvents",
    summary:
      "Streams what happens as server-sent events; the data of each is a line like `TailLine`.",
    answer: "text/event-stream",
  });
  const filters = addressSchema({
    watch: textValue("The id of a watch."),
    sink: textValue("The name of a sink."),
  });
  app.get("/api/v1/tail", described, checkQuery(filters), (c) => {
    if (callers >= MAX_CALLERS)
      return problem(c, {
        status: 503,
        code: "SERVER_BUSY",
        message: `${MAX_CALLERS} clients are already following the daemon`,
      });
    const filter = c.req.valid("query");
    callers += 1;
    const body = streamOf(
      clock,
      (push) => views.tail(filter, push),
      () => (callers -= 1),
    );
    return c.body(body, 200, { "Content-Type": "text/event-stream; charset=utf-8" });
  });
}

type Follow = (push: (line: TailLine) => void) => () => void;

function streamOf(clock: Clock, follow: Follow, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => undefined as void;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false;
        let stopComments = () => undefined as void;
        const write = (text: string) => {
          if (isOver) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) >= 0) return;
          end();
          controller.close();
        };
        const comment = () => {
          write(":\n\n");
          stopComments = isOver ? () => undefined : clock.after(COMMENT_EVERY_MS, comment);
        };
        const stop = follow((line) => write(`data: ${JSON.stringify(line)}\n\n`));
        end = () => {
          if (isOver) return;
          isOver = true;
          stop();
          stopComments();
          onEnd();
        };
        comment();
      },
      cancel: () => end(),
    },
    { highWaterMark: MAX_UNREAD_BYTES, size: (chunk) => chunk.byteLength },
  );
}
