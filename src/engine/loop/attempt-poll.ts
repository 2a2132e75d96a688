/** One poll with all that follows it: what is remembered, counted and reported, and when it runs again. */
import type { PollRun } from "../../polling/run/poll-run.ts";
import { errorText } from "../../model/errors.ts";
import type { Aftermath } from "./poll-aftermath.ts";
import type { PollHistory } from "./poll-history.ts";
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Ports } from "../../model/ports.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { StallWatch } from "../health/stall-watch.ts";
import { STORE_RETRY_MS } from "../health/store-watch.ts";
import type { TargetTrouble } from "../../polling/targets/target-trouble.ts";
import type { VolumeWatch } from "../recheck/volume-watch.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** Never rejects. */
export type AttemptPoll = (poll: Poll, work: () => Promise<PollOutcome>) => Promise<PollRun>;

export interface AttemptDeps extends Pick<Ports, "clock" | "log" | "trace" | "meter" | "storeWatch"> {
  readonly stalls: Pick<StallWatch, "succeeded" | "failed">;
  readonly volume: VolumeWatch;
  readonly aftermath: Aftermath;
  readonly trouble: Pick<TargetTrouble, "takeRenames" | "takeReturned" | "takeAbsent" | "takeRefused">;
  readonly history: Pick<PollHistory, "polled" | "succeeded" | "failed" | "problems">;
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export function createAttempt(deps: AttemptDeps): AttemptPoll {
  const attempts = new PollAttempts(deps);
  return (poll, work) => attempts.attempt(poll, work);
}

class PollAttempts {
  readonly #deps: AttemptDeps;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  async attempt(poll: Poll, work: () => Promise<PollOutcome>): Promise<PollRun> {
    const { clock, trace, log, history } = this.#deps;
    const members = poll.group?.members.map(({ key }) => key);
    const line = { trace: trace.begin(poll.key, members), source: poll.key };
    const startMs = clock.monotonic();
    log.debug("poll started", { ...line, endpoint: poll.source.endpoint, watches: watchesOf(poll) });
    const { aftermath: after, outcome } = await this.#run(poll, work);
    log.debug("poll finished", {
      ...line,
      duration_ms: Math.round(clock.monotonic() - startMs),
      new_items: outcome?.newItems ?? 0,
      events: outcome?.events ?? 0,
      ...(history.problems.has(poll.key) && { problem: history.problems.get(poll.key) }),
    });
    trace.end(poll.key, members);
    return { aftermath: after, ...(outcome !== undefined && { outcome }) };
  }

  async #run(poll: Poll, work: () => Promise<PollOutcome>): Promise<PollRun> {
    const { clock, meter, history, storeWatch, onPolled } = this.#deps;
    const type = poll.subscribers[0]?.watch.type ?? "";
    try {
      const outcome = await work();
      return { aftermath: await this.#follow(poll, outcome, type), outcome };
    } catch (error) {
      onPolled(poll, undefined, error);
      const after = await this.#failed(poll, error).catch((second: unknown): PollAftermath => {
        history.failed(poll.key, errorText(error));
        storeWatch.takeError(second);
        return { retryAtMs: clock.now() + STORE_RETRY_MS };
      });
      meter.count("chirpwatch_polls_total", { type, outcome: after.isAnswer === true ? "ok" : "failed" });
      return { aftermath: after };
    }
  }

  async #follow(poll: Poll, outcome: PollOutcome, type: string): Promise<PollAftermath> {
    const { clock, history, stalls, meter, volume, onPolled, aftermath, trouble } = this.#deps;
    const isOk = outcome.error === undefined;
    history.polled(poll.key, clock.now(), outcome.openGaps);
    if (isOk) {
      history.succeeded(poll.key, clock.now());
      stalls.succeeded(poll, outcome);
    }
    meter.count("chirpwatch_polls_total", { type, outcome: isOk ? "ok" : "cut" });
    onPolled(poll, outcome, outcome.error);
    if (isOk && !outcome.isSuspicious) await volume.polled(poll);
    await aftermath.reportLosses(poll, outcome);
    if (outcome.renames.length > 0) await trouble.takeRenames(poll, outcome.renames);
    if (outcome.returned.length > 0) await trouble.takeReturned(outcome.returned);
    if (outcome.absent.length > 0) await trouble.takeAbsent(poll, outcome.absent);
    if (outcome.refused.size > 0) await trouble.takeRefused(poll, outcome.refused);
    return isOk ? {} : this.#failed(poll, outcome.error);
  }

  async #failed(poll: Poll, error: unknown): Promise<PollAftermath> {
    const { clock, aftermath, history, stalls } = this.#deps;
    const after = await aftermath.afterFailure(poll, error);
    if (after.isAnswer === true) history.succeeded(poll.key, clock.now());
    else {
      history.failed(poll.key, errorText(error));
      stalls.failed(poll, error);
    }
    return after;
  }
}

const WATCHES_SHOWN = 20;

/** Ids, as many as a line takes. */
const watchesOf = ({ subscribers }: Poll): readonly string[] =>
  [...new Set(subscribers.map(({ watch }) => watch.id))].slice(0, WATCHES_SHOWN);
