/** What a search is expected to hold of an account, by what is remembered of it. Pure. */
import { marginMs, type Reach } from "../../detect/feed-poll.ts";
import type { Part } from "../queries/query-batches.ts";
import { baseRate } from "../../plan/rates/rates.ts";
import type { AccountMemory } from "../probing/probe-states.ts";

const DAY_MS = 86_400_000;

/** Down to `floorMs`, service time: what is known of it, what its counter promises, and what may have come since it was read. */
export function partOf(userId: string, account: AccountMemory, floorMs: number, nowMs: number): Part {
  const { postedMs = [], probe, rate, checkedAtMs } = account;
  const unseen = (baseRate(rate, nowMs) * Math.max(0, nowMs - checkedAtMs)) / DAY_MS;
  const promised = Math.max(0, probe.open?.owed ?? 0) + unseen;
  return {
    member: { kind: "from", userId, handle: account.handle },
    floorMs,
    itemsSince: (sinceMs) => promised + postedMs.filter((atMs) => atMs >= sinceMs).length,
  };
}

/** What is read, and through which endpoint. */
interface Reading {
  readonly member: { readonly userId: string };
  readonly endpoint: "search" | "timeline";
  /** Undefined: as deep as its feed's own memory says, which may be anything. */
  readonly reach?: Reach;
}

interface PartsQuery {
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
}

/** Of the searches whose depth is known, the shallow first. */
export const partsOfSearches = (readings: readonly Reading[], { accountOf, intervalMs, nowMs }: PartsQuery): readonly Part[] =>
  readings
    .flatMap(({ endpoint, reach, member: { userId } }) => {
      const account = accountOf(userId);
      if (endpoint !== "search" || reach === undefined || account === undefined) return [];
      return [partOf(userId, account, reach.sinceMs - marginMs(intervalMs), nowMs)];
    })
    .sort((a, b) => b.floorMs - a.floorMs);
