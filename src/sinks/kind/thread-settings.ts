/**
 * The settings of threads, for all sinks that have threads. Each sink type decides how it shows a
 * thread.
 */
import { z } from "zod";
import { parseDuration } from "../../model/duration.ts";
import type { SinkThreads } from "../../model/sink.ts";

const MAX_WINDOW_MS = 30 * 86_400_000;
const DEFAULT_WINDOW = "24h";

const isWindow = (text: string): boolean => {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1_000 && ms <= MAX_WINDOW_MS;
};

export const threadSettings = {
  thread_by: z
    .enum(["conversation", "group", "watch"])
    .optional()
    .describe(
      "Messages of one conversation, of one `group_by` group or of one watch go into the thread of the first of them.",
    ),
  thread_window: z
    .string()
    .refine(isWindow, "must be a duration from 1s to 30d, like 24h")
    .optional()
    .describe(
      `How long after its first message a thread takes further messages. Default ${DEFAULT_WINDOW}. After that, the next message starts a new thread.`,
    ),
};

export interface WrittenThreads {
  readonly thread_by?: SinkThreads["by"] | undefined;
  readonly thread_window?: string | undefined;
}

/**
 * Returns how a sink puts messages into threads; undefined if it does not. `place`: the channel of
 * the sink, because a thread is not continued after the channel changes.
 */
export function threadsOf(
  { thread_by: by, thread_window: window = DEFAULT_WINDOW }: WrittenThreads,
  place: string,
): SinkThreads | undefined {
  return by === undefined ? undefined : { by, windowMs: parseDuration(window) ?? 0, place };
}
