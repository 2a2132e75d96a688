/** How a poll asks the data service: its own source, priority and purpose filled in. */
import type { Purpose } from "../budget/spending-limit.ts";
import type { JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { sharesOf } from "../plan/polls/shares.ts";
import type { Asker } from "../requests/profile-batcher.ts";
import type { Poll } from "./watch-poll.ts";
import type { RequestGate } from "../requests/request-gate.ts";
import type { BatchAnswer } from "../requests/split-batches.ts";

/** A query with its bounds, and the cursor of a further page. */
export type AskSearch = (query: string, cursor?: string) => Promise<UpstreamAnswer>;

export type Ask = (params: JsonObject, cursor?: string) => Promise<BatchAnswer>;

/** On whose behalf a poll asks. */
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
 * Steps of the golden section fall evenly, also where only every second one is taken, or every
 * third.
 */
const STEP = (Math.sqrt(5) - 1) / 2;

/**
 * The watch that a request is charged to: of those served each in its turn, as often as its share
 * says.
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
  return (params, cursor) =>
    gate.request({ ...asked, params, ...(cursor === undefined ? {} : { cursor }) });
}

/**
 * Pages of a long list that nobody waits for: after everything else, out of what the quota can
 * spare, with a backoff of their own. `ask` is for one poll.
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
      ...(cursor === undefined ? {} : { cursor }),
    });
  };
}

/** A search that several members of a group share: it says nothing of anyone before its end. */
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
      ...(cursor === undefined ? {} : { cursor }),
    });
}
