/**
 * Checks the status: it says of everything that waits why and until when, and its counts are those
 * of the state.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { Evidence } from "./evidence.ts";

interface Wait {
  readonly cause: string;
  readonly until: string | null;
  readonly reason: string;
  readonly count: number;
}

/**
 * Reasons to wait that need no end time. The next message in line goes out at once, a retried
 * message may be due behind others, and a message in a thread follows the first one of that thread.
 */
const ENDLESS = ["queued", "threaded", "retrying", "sink_failing"];

export function checkStatus({ played, outbox, isClockSet }: Evidence): readonly string[] {
  const sinks = (played.status?.["sinks"] ?? []) as readonly JsonObject[];
  const hasChangedAtEnd = (sink: string): boolean =>
    outbox.alerts.some(({ row }) => row.sink === sink && row.createdAtMs === played.endMs) ||
    [...outbox.messages.values()].some(
      (message) =>
        message.sink === sink &&
        (message.sealedAtMs === played.endMs || message.doneAtMs === played.endMs),
    );
  return sinks.flatMap((sink) => {
    const name = sink["name"] as string;
    const waits = sink["waits"] as unknown as readonly Wait[];
    const counted = waits.reduce((sum, { count }) => sum + count, 0);
    const open = [...outbox.messages.values()].filter(
      (message) => message.sink === name && message.state === "open",
    ).length;
    const waiting = outbox.alerts.filter(
      ({ row }) => row.sink === name && row.state === "waiting",
    ).length;
    const objections = waits
      .filter(
        ({ cause, until, reason }) => reason === "" || (until === null && !ENDLESS.includes(cause)),
      )
      .map(
        ({ cause, reason }) =>
          `the status says of ${name}: ${cause}, until nobody knows when: ${reason}`,
      );
    // The status is read at the very end. An alert created in that same moment may be in the state
    // only.
    const isStill = !isClockSet && !hasChangedAtEnd(name);
    if (sink["waiting"] !== counted || (isStill && open + waiting !== counted))
      objections.push(
        `the status counts ${counted} that wait for ${name}, of ${JSON.stringify(sink["waiting"])}; the state has ${open + waiting}`,
      );
    return objections;
  });
}
