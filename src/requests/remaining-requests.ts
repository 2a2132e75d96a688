/** Asks the service how many requests a key has left. */
import type { RequestGate } from "./request-gate.ts";

/**
 * Returns `remaining_requests` of /key-usage-info as the service sent it; spending-limit.ts checks
 * it. The request is not billed. `key` is the name of the key to ask about (default: the key that
 * pays now). @throws UpstreamError
 */
export async function askRemaining(
  gate: Pick<RequestGate, "request">,
  key?: string,
): Promise<unknown> {
  const answer = await gate.request({
    endpoint: "key-usage-info",
    params: {},
    source: "usage",
    watch: "",
    priority: "high",
    purpose: "command",
    billed: false,
    onlyKey: key,
  });
  return answer.record?.["remaining_requests"];
}
