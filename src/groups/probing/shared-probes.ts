/**
 * Which accounts are asked for in the same instant already, whoever asks: their profiles come in
 * the same requests. Pure arithmetic.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Poll } from "../../plan/poll.ts";
import { schedulesKey } from "../../plan/polls/group-spread.ts";
import { gridStepMs } from "../../plan/polls/tick-grid.ts";

type Timed = Pick<Poll, "timing">;

/** Those of one schedule. */
interface Asked {
  readonly key: string;
  /**
   * Its ticks are the multiples of this; undefined where they meet no other schedule's for sure.
   */
  readonly stepMs: number | undefined;
  readonly userIds: Set<string>;
}

/**
 * Slower schedules are added last: ticks of theirs that meet others only now and then count as if
 * they met none.
 */
export class SharedProbes {
  readonly #bySchedule = new Map<string, Asked>();

  /**
   * Requests a run more when these accounts are asked for on the schedules of `poll` beside all
   * that were added.
   */
  more(poll: Timed, userIds: readonly string[]): number {
    const [key, stepMs] = [schedulesKey(poll), gridStepMs(poll)];
    const met = [...this.#bySchedule.values()].filter(
      (asked) =>
        asked.key === key ||
        (stepMs !== undefined && asked.stepMs !== undefined && stepMs % asked.stepMs === 0),
    );
    const before = new Set(met.flatMap((asked) => [...asked.userIds]));
    return requestsOf(new Set([...before, ...userIds])) - requestsOf(before);
  }

  /** The same, and from now on they are asked for. */
  add(poll: Timed, userIds: readonly string[]): number {
    const added = this.more(poll, userIds);
    const key = schedulesKey(poll);
    const asked = this.#bySchedule.get(key) ?? {
      key,
      stepMs: gridStepMs(poll),
      userIds: new Set(),
    };
    for (const id of userIds) asked.userIds.add(id);
    this.#bySchedule.set(key, asked);
    return added;
  }

  /** Whether anybody is asked for on these schedules. */
  has(poll: Timed): boolean {
    return this.#bySchedule.has(schedulesKey(poll));
  }
}

const requestsOf = (userIds: ReadonlySet<string>): number => Math.ceil(userIds.size / BATCH_SIZE);
