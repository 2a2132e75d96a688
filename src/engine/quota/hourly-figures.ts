/**
 * Holds the figures from the state and the ledger that the daemon's own forecast needs: the lengths
 * of lists and the counted requests of watches. They are refreshed once an hour.
 */
import { NO_SLOW_DOWN } from "../../budget/slow-down.ts";
import { type CostModel, createCostModel } from "../../forecast/cost.ts";
import { daysSince, planPace, type PricedPoll, pricePolls } from "../../forecast/pace.ts";
import { type Clock, passedMs } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Ledger } from "../../model/ledger.ts";
import type { Share } from "../../model/replicas.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { DayCounter, type HourEstimate } from "./day-counter.ts";
import { NO_VOLUMES, type Volumes, volumesOf, watchesWithLists } from "./poll-volumes.ts";

export interface HourlyFiguresDeps {
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly ledger: Pick<Ledger, "spentByKey" | "spentSince">;
  /** If there are several replicas, only the leader counts days. */
  readonly share: Pick<Share, "isLeading">;
  readonly learned: LearnedStore;
  /** Reads the states of watches, from which the number of pages of a list is known. */
  readonly states: (watchIds: readonly string[]) => Promise<readonly WatchState[]>;
}

const HOUR_MS = 3_600_000;

export class HourlyFigures {
  readonly #deps: HourlyFiguresDeps;
  readonly #days: DayCounter;
  readonly #costs: CostModel;
  #volumes: Volumes = NO_VOLUMES;

  constructor(deps: HourlyFiguresDeps) {
    this.#deps = deps;
    this.#days = new DayCounter(deps.ledger, deps.learned, deps.clock);
    this.#costs = createCostModel({
      timetable: deps.timetable,
      pagesOf: ({ key }) => this.#volumes.pages.get(key),
    });
  }

  /**
   * Refreshes the figures if an hour has passed. While polls are slowed down, it counts no
   * requests, because they would make estimates too low.
   */
  async refresh(polls: readonly Poll[], isSlowedDown: boolean): Promise<void> {
    const { clock, states, share } = this.#deps;
    await this.#days.load();
    const nowMs = clock.now();
    if (passedMs(this.#volumes.readAtMs, nowMs) < HOUR_MS) return;
    this.#volumes = volumesOf(polls, await states(watchesWithLists(polls)), nowMs);
    if (!share.isLeading()) return this.#days.reload();
    if (!isSlowedDown)
      await this.#days.countRequests((sinceMs) => this.#estimatesOf(polls, sinceMs, nowMs), nowMs);
  }

  price(polls: readonly Poll[], nowMs: number): readonly PricedPoll[] {
    return pricePolls(polls, this.#costs, nowMs, this.#days.ratioOf);
  }

  #estimatesOf(
    polls: readonly Poll[],
    sinceMs: number,
    nowMs: number,
  ): ReadonlyMap<string, HourEstimate> {
    const priced = pricePolls(polls, this.#costs, nowMs);
    const daysOf = daysSince(this.#deps.timetable, sinceMs, nowMs);
    const inHour = priced.map((one) => ({
      ...one,
      requestsPerDay: one.requestsPerDay * daysOf(one),
    }));
    const expected = planPace(inHour, NO_SLOW_DOWN).watches;
    const watches = [...planPace(priced, NO_SLOW_DOWN).watches].filter(
      ([id]) => !this.#volumes.unread.has(id),
    );
    return new Map(
      watches.map(([id, { askedPerDay }]) => [
        id,
        { estimate: askedPerDay, expected: expected.get(id)?.askedPerDay ?? 0 },
      ]),
    );
  }
}
