/**
 * Decides which thread a message belongs to. The store decides which message of the thread is its
 * first one.
 */
import type { ThreadOfMessage } from "../../model/outbox.ts";
import type { SinkThreads } from "../../model/sink.ts";
import type { Bundle } from "./group.ts";

/**
 * Returns the thread of a bundle; undefined if its message is posted directly in the channel, as
 * are digests and messages about several conversations or watches.
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
  // An event without a group has its own id as its group key.
  if (by === "group") return members.some(({ event }) => event.id === groupKey) ? "" : groupKey;
  const names = new Set(
    members.map(({ event }) =>
      by === "watch" ? event.watchKey : (event.labels["conversation"] ?? ""),
    ),
  );
  const [name = ""] = names;
  return names.size === 1 ? name : "";
}
