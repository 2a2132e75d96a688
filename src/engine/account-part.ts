/** What a search is expected to hold of an account, by what is remembered of it. Pure. */
import type { Part } from "../plan/packs.ts";
import { baseRate } from "../plan/rates.ts";
import type { AccountMemory } from "./probe-book.ts";

const DAY_MS = 86_400_000;

/** Down to `floorMs`, service time: what is known of it, what its counter promises, and what may have come since it was looked at. */
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
