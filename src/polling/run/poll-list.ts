/** One poll of a member list, step by step, each committed by itself: newcomers do not wait for what is read behind them. */
import type { Clock } from "../../model/clock.ts";
import { type ListPoll, type ListReaderDeps, observeList } from "./observe-list.ts";
import type { Observation } from "./observation.ts";
import { joinSteps, type PollOutcome } from "./poll-outcome.ts";
import type { PollState } from "./poll-state.ts";
import type { Poll } from "../watch-poll.ts";

interface PollListDeps extends ListReaderDeps {
  readonly clock: Clock;
}

/** Commits what `see` sees; nothing where that is undefined. */
type CommitStep = (poll: Poll, see: (loaded: PollState) => Promise<Observation | undefined>) => Promise<PollOutcome>;

/** @throws what the first step throws */
export async function pollList(deps: PollListDeps, poll: Poll, commitStep: CommitStep): Promise<PollOutcome> {
  const listPoll: ListPoll = { startedAtMs: deps.clock.now(), done: new Set(), scanPages: 0 };
  let outcome: PollOutcome | undefined;
  for (;;) {
    const steps = listPoll.done.size;
    try {
      const next = await commitStep(poll, async (loaded) => {
        const seen = await observeList(deps, loaded, listPoll);
        return seen === undefined ? undefined : { kind: "roster", ...seen };
      });
      outcome = outcome === undefined ? next : joinSteps(outcome, next);
    } catch (error) {
      if (outcome === undefined) throw error;
      return { ...outcome, error };
    }
    if (listPoll.done.size === steps || outcome.error !== undefined) return outcome;
  }
}
