/**
 * Which thread a message belongs in. With which message that begins is decided where messages are
 * stored.
 */
import type { ThreadOfMessage } from "../../model/outbox.ts";
import type { SinkThreads } from "../../model/sink.ts";
import type { Bundle } from "./group.ts";

/**
 * Undefined for what stands in the channel by itself: a digest, and a message of several
 * conversations or watches.
 */
export function threadOf(
  threads: SinkThreads | undefined,
  bundle: Bundle,
): ThreadOfMessage | undefined {
  if (threads === undefined || bundle.cause !== undefined) return undefined;
  const name = nameOf(threads.by, bundle);
  return name === ""
    ? undefined
    : { key: [threads.place, threads.by, name].join("\n"), windowMs: threads.windowMs };
}

function nameOf(by: SinkThreads["by"], { groupKey, members }: Bundle): string {
  // An event without a group is one by itself.
  if (by === "group") return members.some(({ event }) => event.id === groupKey) ? "" : groupKey;
  const names = new Set(
    members.map(({ event }) =>
      by === "watch" ? event.watchKey : (event.labels["conversation"] ?? ""),
    ),
  );
  const [name = ""] = names;
  return names.size === 1 ? name : "";
}
