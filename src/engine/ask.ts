/** How a poll asks the data service: its own source, priority and purpose filled in. */
import type { Purpose } from "../budget/quota-line.ts";
import type { JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import type { Asker } from "./probe-desk.ts";
import type { Poll } from "./watch-poll.ts";
import type { RequestGate } from "./request-gate.ts";

/** A query with its bounds, and the cursor of a further page. */
export type AskSearch = (query: string, cursor?: string) => Promise<UpstreamAnswer>;

export type Ask = (params: JsonObject, cursor?: string) => Promise<UpstreamAnswer>;

/** On whose behalf a poll asks: its first sharer pays. */
export const askerOf = ({ key: source, priority, subscribers }: Poll, purpose: Purpose): Asker => ({
  source,
  priority,
  watch: subscribers[0]?.watch.id ?? "",
  purpose,
});

export function askFor(gate: RequestGate, poll: Poll, purpose: Purpose): Ask {
  const asked = { ...askerOf(poll, purpose), endpoint: poll.source.endpoint };
  return (params, cursor) => gate.request({ ...asked, params, ...(cursor === undefined ? {} : { cursor }) });
}

/** A search that several members of a group share; `payer` is the watch its requests are booked on. */
export function askSearch(gate: RequestGate, group: Poll, payer: string): AskSearch {
  const asked = {
    endpoint: "search-tweets",
    source: `${group.key}:search`,
    priority: group.priority,
    watch: payer,
    purpose: "poll",
  } as const;
  return (query, cursor) => gate.request({ ...asked, params: { query, order: "latest" }, ...(cursor === undefined ? {} : { cursor }) });
}
