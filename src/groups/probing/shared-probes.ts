/**
 * Counts the requests that probes add to those that other polls make at the same moment: accounts
 * that are requested at one moment share requests. Pure.
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
   * The step in ms of which all ticks are multiples; undefined if the ticks may not coincide with
   * those of another schedule.
   */
  readonly stepMs: number | undefined;
  readonly userIds: Set<string>;
}

/**
 * The accounts that polls request, by schedule. Schedules must be added from the fastest to the
 * slowest. Ticks that coincide only sometimes count as if they never did.
 */
export class SharedProbes {
  readonly #bySchedule = new Map<string, Asked>();

  /**
   * Returns how many more requests a run takes if these accounts are requested on the schedules of
   * `poll` in addition to all that were added.
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

  /** Returns the same as `more`, and adds the accounts. */
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

  /** Whether any account is requested on these schedules. */
  has(poll: Timed): boolean {
    return this.#bySchedule.has(schedulesKey(poll));
  }
}

const requestsOf = (userIds: ReadonlySet<string>): number => Math.ceil(userIds.size / BATCH_SIZE);
