/** Another record about what a poll is about, asked for when something is told: part of the message, never of the judgement. */
import type { Log } from "../model/log.ts";
import type { JsonObject } from "../model/json.ts";
import type { RequestGate } from "./request-gate.ts";
import type { Poll } from "./watch-poll.ts";

/** Undefined when the service does not give it now: the event is told without. */
export async function readCompanion(
  { gate, log }: { readonly gate: RequestGate; readonly log: Log },
  poll: Poll,
  endpoint: string,
): Promise<JsonObject | undefined> {
  const watch = poll.subscribers[0]?.watch.id ?? "";
  const { params } = poll.source;
  try {
    const answer = await gate.request({ endpoint, params, source: `beside:${poll.key}`, watch, priority: poll.priority, purpose: "poll" });
    return answer.record;
  } catch (error) {
    log.warn("what belongs beside an event could not be read", { watch, endpoint, error });
    return undefined;
  }
}
