/**
 * Runs one poll, logs, counts and remembers its result, alerts the operator if needed, and decides
 * when a failed poll runs again.
 */
import { errorText } from "../../model/errors.ts";
import type { OpsAlert } from "../../model/ops-alerts.ts";
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Ports } from "../../model/ports.ts";
import { isRefusal, UpstreamError } from "../../model/upstream.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";
import type { TargetTrouble } from "../../polling/targets/target-trouble.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { GapMonitor } from "../health/gap-monitor.ts";
import type { StallMonitor } from "../health/stall-monitor.ts";
import { STORE_RETRY_MS } from "../health/store-monitor.ts";
import type { VolumeMonitor } from "../recheck/volume-monitor.ts";
import type { PollHistory } from "./poll-history.ts";

export interface AttemptDeps
  extends Pick<Ports, "clock" | "log" | "trace" | "meter" | "storeMonitor" | "opsAlerts"> {
  readonly stalls: Pick<StallMonitor, "succeeded" | "failed">;
  readonly gaps: Pick<GapMonitor, "polled">;
  readonly volume: Pick<VolumeMonitor, "polled">;
  readonly trouble: Pick<TargetTrouble, "handleRefusal" | "follow">;
  readonly history: Pick<PollHistory, "polled" | "succeeded" | "failed" | "problems">;
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

/** The wait after a failure that probably lasts, such as a refused key or a spent quota. */
const HELD_MS = 60_000;

export class PollAttempts {
  readonly #deps: AttemptDeps;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  /** Runs a poll, handles its result or failure, and logs its start and end. Never rejects. */
  async run(poll: Poll, work: () => Promise<PollOutcome>): Promise<PollRun> {
    const { clock, trace, log, history } = this.#deps;
    const members = poll.group?.members.map(({ key }) => key);
    const line = { trace: trace.begin(poll.key, members), source: poll.key };
    const startMs = clock.monotonic();
    log.debug("poll started", {
      ...line,
      endpoint: poll.source.endpoint,
      watches: watchesOf(poll),
    });
    const run = await this.#attempt(poll, work);
    log.debug("poll finished", {
      ...line,
      duration_ms: Math.round(clock.monotonic() - startMs),
      new_items: run.outcome?.newItems ?? 0,
      events: run.outcome?.events ?? 0,
      ...(history.problems.has(poll.key) && { problem: history.problems.get(poll.key) }),
    });
    trace.end(poll.key, members);
    return run;
  }

  async #attempt(poll: Poll, work: () => Promise<PollOutcome>): Promise<PollRun> {
    const { clock, meter, history, storeMonitor, onPolled } = this.#deps;
    const type = poll.subscribers[0]?.watch.type ?? "";
    try {
      const outcome = await work();
      return { aftermath: await this.#follow(poll, outcome, type), outcome };
    } catch (error) {
      onPolled(poll, undefined, error);
      const aftermath = await this.#failed(poll, error).catch((second: unknown): PollAftermath => {
        history.failed(poll.key, errorText(error));
        storeMonitor.recordError(second);
        return { retryAtMs: clock.now() + STORE_RETRY_MS };
      });
      meter.count("chirpwatch_polls_total", {
        type,
        outcome: aftermath.isAnswer === true ? "ok" : "failed",
      });
      return { aftermath };
    }
  }

  async #follow(poll: Poll, outcome: PollOutcome, type: string): Promise<PollAftermath> {
    const { clock, history, stalls, meter, volume, onPolled, trouble } = this.#deps;
    const isOk = outcome.error === undefined;
    history.polled(poll.key, clock.now(), outcome.openGaps);
    if (isOk) {
      history.succeeded(poll.key, clock.now());
      stalls.succeeded(poll, outcome);
    }
    meter.count("chirpwatch_polls_total", { type, outcome: isOk ? "ok" : "cut" });
    onPolled(poll, outcome, outcome.error);
    if (isOk && !outcome.isSuspicious) await volume.polled(poll);
    await this.#reportLosses(poll, outcome);
    await this.#deps.gaps.polled(poll, outcome);
    await trouble.follow(poll, outcome);
    return isOk ? {} : this.#failed(poll, outcome.error);
  }

  async #failed(poll: Poll, error: unknown): Promise<PollAftermath> {
    const { clock, history, stalls } = this.#deps;
    const aftermath = await this.#afterFailure(poll, error);
    if (aftermath.isAnswer === true) history.succeeded(poll.key, clock.now());
    else {
      history.failed(poll.key, errorText(error));
      stalls.failed(poll, error);
    }
    return aftermath;
  }

  /** Returns when a failed poll runs again. */
  async #afterFailure(poll: Poll, error: unknown): Promise<PollAftermath> {
    const { clock, log, storeMonitor, trouble } = this.#deps;
    const nowMs = clock.now();
    const watch = poll.subscribers[0]?.watch.id;
    if (storeMonitor.recordError(error)) return { retryAtMs: nowMs + STORE_RETRY_MS };
    if (error instanceof RequestHeld) {
      // Only pages beyond the first are held for this reason. The missing part of the feed is
      // stored as a gap, which the next polls fill.
      if (error.reason === "pace") return {};
      // The time is rounded up, because a poll that starts a fraction of a millisecond too early
      // would be held again.
      if (error.retryAtMs !== undefined)
        return {
          retryAtMs: Math.ceil(nowMs + Math.max(0, error.retryAtMs - clock.monotonic())) + 1,
        };
      return { notBeforeMs: nowMs + HELD_MS };
    }
    if (!(error instanceof UpstreamError)) {
      log.error("poll failed", { watch, error });
      return { notBeforeMs: nowMs + HELD_MS };
    }
    const { kind, status, message } = error;
    const fields = { watch, endpoint: poll.source.endpoint, kind, status, error: message };
    const after = isRefusal(error) ? await trouble.handleRefusal(poll, error) : undefined;
    if (after?.isAnswer === true) log.debug("the service answered a poll with 404", fields);
    else log.warn("poll failed", fields);
    if (after !== undefined) return after;
    // The next run comes soon, because the request gate knows how long this source must wait: it
    // holds the request and returns the time.
    if (kind === "transient" || kind === "rate_limited") return { retryAtMs: nowMs + 1_000 };
    return { notBeforeMs: nowMs + HELD_MS };
  }

  /**
   * Raises an ops alert for each watch of which items were too old to be sent, or whose history the
   * service did not return.
   */
  async #reportLosses(poll: Poll, { tooOld, lostGaps }: PollOutcome): Promise<void> {
    const report = (watch: string, message: string, facts: NonNullable<OpsAlert["facts"]>) =>
      this.#deps.opsAlerts.raise({
        type: "watch.gap",
        subject: watch,
        watch,
        severity: "warning",
        message,
        facts,
      });
    for (const [watch, items] of tooOld)
      await report(
        watch,
        `${watch}: ${items} items older than max_age not sent; chirpwatch explain says which`,
        {
          reason: "too_old",
          items,
        },
      );
    if (lostGaps === 0) return;
    for (const watch of new Set(poll.subscribers.map((subscriber) => subscriber.watch.id)))
      await report(
        watch,
        `${watch}: the service would not give ${lostGaps} part(s) of its history; items in them may be missing`,
        {
          reason: "not_returned",
        },
      );
  }
}

const WATCHES_SHOWN = 20;

/** Returns the ids of the watches of a poll, only as many as fit in a log line. */
const watchesOf = ({ subscribers }: Poll): readonly string[] =>
  [...new Set(subscribers.map(({ watch }) => watch.id))].slice(0, WATCHES_SHOWN);
