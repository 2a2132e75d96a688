/** How a poll asks the data service: its own source, priority and purpose filled in. */
import type { Purpose } from "../budget/spending-limit.ts";
import type { JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { sharesOf } from "../plan/polls/shares.ts";
import type { Asker } from "../requests/profile-batcher.ts";
import type { Poll } from "./watch-poll.ts";
import type { RequestGate } from "../requests/request-gate.ts";
import type { BatchAnswer } from "../requests/split-batches.ts";

/** Asks for a query with its bounds; `cursor` asks for a further page. */
export type AskSearch = (query: string, cursor?: string) => Promise<UpstreamAnswer>;

export type Ask = (params: JsonObject, cursor?: string) => Promise<BatchAnswer>;

/** Returns in whose name a poll asks: its source, watch, priority and purpose. */
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
 * The step of the golden section: its multiples are spread evenly, even if only every second or
 * third of them is used.
 */
const STEP = (Math.sqrt(5) - 1) / 2;

/**
 * Returns the watch to which a request is charged. The watches that the poll serves take turns, as
 * often as their shares say.
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
 * Returns an `Ask` for pages of a long list that nobody waits for: they come after everything else,
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
 * Returns an `AskSearch` for a search that several members of a group share. Its answer says
 * nothing about any of them until it was read to its end.
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
