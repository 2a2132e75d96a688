/** Decides which lists of a group are read in a run after its probe, and for which reason. Pure. */
import { passedMs } from "../../model/clock.ts";
import { isDue } from "../probing/pending-changes.ts";
import type { AccountMemory } from "../probing/probe-states.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/**
 * A list to be read, and the reason.
 * - `first`: the list was never read to its end for all of its current subscribers.
 * - `moved`: its counter has changed.
 * - `tick`: it is read at every tick.
 * - `full`: it was not read for a long time.
 */
export interface ListTask {
  readonly poll: Poll;
  readonly reason: "first" | "moved" | "tick" | "full";
}

export interface ListTaskQuery {
  readonly members: readonly Poll[];
  readonly accountOf: (key: string) => AccountMemory | undefined;
  readonly subscribersOf: (poll: Poll) => number;
  /** Whether a list is in a cooldown because it could not be read. */
  readonly isCoolingDown: (key: string) => boolean;
  /** Whether a list is read at every tick. */
  readonly isReadEveryTick: (key: string) => boolean;
  readonly fullPollEveryMs: number;
  readonly intervalMs: number;
  readonly nowMs: number;
}

export function listTasks(query: ListTaskQuery): readonly ListTask[] {
  const { members, nowMs, intervalMs } = query;
  const tasks = members.flatMap((poll) => taskOf(poll, query) ?? []);
  const taken = new Set(tasks.map(({ poll }) => poll.key));
  const everyMs = Math.max(query.fullPollEveryMs, intervalMs);
  const readAtMs = (poll: Poll) => query.accountOf(poll.key)?.probe.fullAtMs ?? nowMs;
  // A read that is early by less than half a tick counts as on time, because the times of reads
  // shift by as long as answers take.
  const isLate = (poll: Poll) => passedMs(readAtMs(poll), nowMs) >= everyMs - intervalMs / 2;
  const late = members.filter(
    (poll) => !taken.has(poll.key) && !query.isCoolingDown(poll.key) && isLate(poll),
  );
  // Full polls usually become due one at a time. After a downtime many may be due together, so a
  // run makes at most twice the usual number.
  const most = Math.ceil((2 * members.length * intervalMs) / everyMs);
  const full = late.sort((a, b) => readAtMs(a) - readAtMs(b)).slice(0, most);
  return [...tasks, ...full.map((poll) => ({ poll, reason: "full" as const }))];
}

function taskOf(
  poll: Poll,
  { accountOf, subscribersOf, isCoolingDown, isReadEveryTick, nowMs }: ListTaskQuery,
): ListTask | undefined {
  if (isCoolingDown(poll.key)) return undefined;
  const account = accountOf(poll.key);
  if (account === undefined || account.readFor !== subscribersOf(poll))
    return { poll, reason: "first" };
  if (isDue(account.probe, nowMs)) return { poll, reason: "moved" };
  return isReadEveryTick(poll.key) || account.probe.isBlind === true
    ? { poll, reason: "tick" }
    : undefined;
}
