/** What became of an account that cannot be read: two questions at most, asked only when it goes missing. */
import type { JsonObject } from "../../model/json.ts";
import { type UpstreamAnswer, UpstreamError } from "../../model/upstream.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { Poll } from "../watch-poll.ts";

type Gate = Pick<RequestGate, "request">;

/** A question on behalf of a poll; undefined: 404. */
export async function askAbout(gate: Gate, poll: Poll, endpoint: string, params: JsonObject): Promise<UpstreamAnswer | undefined> {
  const watch = poll.subscribers[0]?.watch.id ?? "";
  try {
    return await gate.request({ endpoint, params, source: `ask:${poll.key}`, watch, priority: poll.priority, purpose: "poll" });
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === "not_found") return undefined;
    throw error;
  }
}

/** Whether there is no such account any more, or it is suspended. */
export const isGone = async (gate: Gate, poll: Poll, userId: string): Promise<boolean> =>
  (await askAbout(gate, poll, "id-to-username", { user_id: userId })) === undefined;

/** In words, for people. */
export async function fateOf(gate: Gate, poll: Poll, userId: string): Promise<string> {
  if (await isGone(gate, poll, userId)) return "the account is deleted or suspended";
  const profile = (await askAbout(gate, poll, "info", { user_id: userId }))?.record;
  if (profile?.["protected"] === true) return "the account is protected now";
  return profile === undefined ? "the account exists but is protected or suspended" : "the account exists, but this of it cannot be read";
}
