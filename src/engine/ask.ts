/** How a poll asks the data service: its own source, priority and purpose filled in. */
import type { Purpose } from "../budget/quota-line.ts";
import type { JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import type { Poll } from "./watch-poll.ts";
import type { RequestGate } from "./request-gate.ts";

export type Ask = (params: JsonObject, cursor?: string) => Promise<UpstreamAnswer>;

export function askFor(gate: RequestGate, poll: Poll, purpose: Purpose): Ask {
  const watch = poll.subscribers[0]?.watch.id ?? "";
  const { key: source, priority } = poll;
  const { endpoint } = poll.source;
  return (params, cursor) =>
    gate.request({ endpoint, params, source, priority, watch, purpose, ...(cursor === undefined ? {} : { cursor }) });
}
