/**
 * Creates the functions with which a poll sends its requests. They fill in its source, its
 * priority, its purpose and the watch that pays.
 */
import type { Purpose } from "../budget/spending-limit.ts";
import type { JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { sharesOf } from "../plan/polls/shares.ts";
import type { Asker } from "../requests/profile-batcher.ts";
import type { Poll } from "./watch-poll.ts";
import type { RequestGate } from "../requests/request-gate.ts";
import type { BatchAnswer } from "../requests/split-batches.ts";

/**
 * Requests a page of a search. `query` includes its time bounds, and `cursor` is set for a further
 * page.
 */
export type AskSearch = (query: string, cursor?: string) => Promise<UpstreamAnswer>;

export type Ask = (params: JsonObject, cursor?: string) => Promise<BatchAnswer>;

/**
 * Returns what the request gate and the ledger need to know about a poll's requests: their source,
 * watch, priority and purpose.
 */
export const askerOf = (poll: Poll, purpose: Purpose): Asker => ({
  source: poll.key,
  priority: poll.priority,
  watch: chargedWatch(poll),
  purpose,
});

interface Turns {
  readonly shares: ReadonlyMap<string, number>;
  next: number;
}

const turns = new WeakMap<Poll, Turns>();

/**
 * The step by which the position that selects the charged watch, between 0 and 1, advances with
 * every request. It is the inverse of the golden ratio, because the multiples of this number,
 * modulo 1, are spread evenly, even if only every second or third is used.
 */
const STEP = (Math.sqrt(5) - 1) / 2;

/**
 * Returns the watch to which the ledger charges a request. The watches that the poll serves take
 * turns, in proportion to their shares of its cost.
 */
function chargedWatch(poll: Poll): string {
  const own = turns.get(poll) ?? { shares: sharesOf(poll), next: 0 };
  turns.set(poll, own);
  own.next = (own.next + STEP) % 1;
  let [passed, watch] = [0, ""];
  for (const [watchId, share] of own.shares) {
    watch = watchId;
    passed += share;
    if (passed > own.next) break;
  }
  return watch;
}

export function askFor(gate: RequestGate, poll: Poll, purpose: Purpose): Ask {
  const isBatch = poll.subscribers.some(({ entry }) => entry !== undefined);
  const asked = {
    ...askerOf(poll, purpose),
    endpoint: poll.source.endpoint,
    ...(isBatch ? { isSplit: true as const } : {}),
  };
  return (params, cursor) => gate.request({ ...asked, params, cursor });
}

/**
 * Returns an `Ask` for the background read of a long list. Its requests go out after all others,
 * use only what the quota can spare, and have a backoff of their own. Create one for each poll.
 */
export function askBehind(gate: RequestGate, poll: Poll): Ask {
  const asked = {
    ...askerOf(poll, "poll"),
    endpoint: poll.source.endpoint,
    source: `${poll.key}:rest`,
    priority: "low",
  } as const;
  let isBegun = false;
  return (params, cursor) => {
    const begins = isBegun ? {} : { isWalkStart: true as const };
    isBegun = true;
    return gate.request({
      ...asked,
      ...begins,
      params,
      cursor,
    });
  };
}

/**
 * Returns an `AskSearch` for a search that several members of a group share. No member can be
 * evaluated before the answer was read to its end.
 */
export function askSearch(gate: RequestGate, group: Poll): AskSearch {
  const asked = {
    ...askerOf(group, "poll"),
    endpoint: "search-tweets",
    source: `${group.key}:search`,
    isWhole: true,
  } as const;
  return (query, cursor) =>
    gate.request({
      ...asked,
      params: { query, order: "latest" },
      cursor,
    });
}
