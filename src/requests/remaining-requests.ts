/** What the service says that a key has left: the one question that costs nothing. */
import type { RequestGate } from "./request-gate.ts";

/**
 * `remaining_requests` of /key-usage-info, which is not billed; as it came, for spending-limit.ts
 * to check. `key`: the name of the one it is asked of, else of whichever pays now. @throws
 * UpstreamError
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
