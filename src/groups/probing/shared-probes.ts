/**
 * Counts how many requests the probes of a poll add to those of other polls. Accounts that are
 * requested at the same moment can share a request. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Poll } from "../../plan/poll.ts";
import { schedulesKey } from "../../plan/polls/group-spread.ts";
import { gridStepMs } from "../../plan/polls/tick-grid.ts";

type Timed = Pick<Poll, "timing">;

/** The accounts that are requested on one schedule. */
interface Asked {
  readonly key: string;
  /**
   * The step in ms of which all ticks of the schedule are multiples; undefined if its ticks need
   * not coincide with those of any other schedule.
   */
  readonly stepMs: number | undefined;
  readonly userIds: Set<string>;
}

/**
 * The accounts that polls request, by schedule. Schedules must be added from the fastest to the
 * slowest. Ticks that coincide only sometimes are treated as if they never coincided.
 */
export class SharedProbes {
  readonly #bySchedule = new Map<string, Asked>();

  /**
   * Returns how many more requests a run of `poll` takes if these accounts are requested on its
   * schedules, in addition to the accounts that were added before.
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

  /** Adds the accounts, and returns the result that `more` had before. */
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

  /** Whether any account is requested on the schedules of this poll. */
  has(poll: Timed): boolean {
    return this.#bySchedule.has(schedulesKey(poll));
  }
}

const requestsOf = (userIds: ReadonlySet<string>): number => Math.ceil(userIds.size / BATCH_SIZE);
