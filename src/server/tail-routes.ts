/**
 * The route that streams: one server-sent event for each line of `tail`, until the caller
 * disconnects or the daemon stops.
 */
import type { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { problem } from "./problem.ts";
import type { TailLine } from "./contract/tail-view.ts";
import type { Views } from "./contract/views.ts";

export interface TailRouteDeps {
  readonly clock: Clock;
  readonly views: Pick<Views, "tail">;
}

/** How often a comment is sent, so that caller and proxy see that the connection lives. */
const COMMENT_EVERY_MS = 15_000;
/** A caller that reads too slowly is cut off after this many bytes, and may connect again. */
const MAX_UNREAD_BYTES = 1_048_576;
const MAX_CALLERS = 32;

export function addTailRoute(app: Hono, { clock, views }: TailRouteDeps): void {
  let callers = 0;
  app.get("/api/v1/tail", (c) => {
    if (callers >= MAX_CALLERS)
      return problem(c, {
        status: 503,
        code: "SERVER_BUSY",
        message: `${MAX_CALLERS} clients are already following the daemon`,
      });
    const { watch, sink } = c.req.query();
    const filter = {
      watch,
      sink,
    };
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
