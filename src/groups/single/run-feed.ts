/**
 * Makes a run of a poll that is read on its own. For a feed with a `freshness` setting, also
 * returns when the next run is due. The poll runner processes what is found.
 */
import type { GroupRunner } from "../kind/group-runner.ts";
import type { Clock } from "../../model/clock.ts";
import { timeOfTweetId } from "../../model/id.ts";
import { joinRates } from "./feed-pace.ts";
import { firstRate } from "../../plan/rates/rates.ts";
import type { FeedPacers, FeedRead } from "./feed-pacers.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PollRunner } from "../../polling/run/poll-runner.ts";

export function createFeedRunner(deps: {
  readonly runner: Pick<PollRunner, "run">;
  readonly pacerOf: FeedPacers;
  readonly clock: Clock;
}): GroupRunner {
  return {
    async run(poll) {
      const startedAtMs = deps.clock.now();
      const outcome = await deps.runner.run(poll);
      return {
        outcome,
        nextDueMs: await deps.pacerOf(poll).after(feedRead([outcome], startedAtMs)),
      };
    },
    pacerOf: deps.pacerOf,
  };
}

/** Combines the reads of one run into one read of a feed. */
export function feedRead(outcomes: readonly PollOutcome[], startedAtMs: number): FeedRead {
  return {
    startedAtMs,
    postedMs: outcomes.flatMap(({ postedMs }) => postedMs),
    isWhole: outcomes.every(
      ({ shown, error, isSuspicious }) =>
        shown !== undefined && error === undefined && !isSuspicious,
    ),
    firstRate(nowMs) {
      const rates = outcomes.map(({ shown, postedMs }) =>
        firstRate(shown === undefined ? postedMs : [...shown].map(timeOfTweetId), nowMs),
      );
      const [only] = rates;
      return rates.length === 1 && only !== undefined ? only : joinRates(rates, nowMs);
    },
  };
}
