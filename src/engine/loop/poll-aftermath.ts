/** What follows a poll: when it runs again after a failure, and what the operator hears of losses. */
import { isRefusal, UpstreamError } from "../../model/upstream.ts";
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Ports } from "../../model/ports.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import { STORE_RETRY_MS } from "../health/store-watch.ts";
import type { TargetTrouble } from "../../polling/targets/target-trouble.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface AftermathDeps extends Pick<Ports, "storeWatch" | "opsAlerts" | "clock" | "log"> {
  readonly trouble: TargetTrouble;
}

export interface Aftermath {
  afterFailure(poll: Poll, error: unknown): Promise<PollAftermath>;
  /** One notice a watch for items that were not sent, and for history the service would not give. */
  reportLosses(poll: Poll, outcome: PollOutcome): Promise<void>;
}

/** While nothing can be asked at all: no key, no quota. */
const HELD_MS = 60_000;

export function createPollAftermath({ storeWatch, trouble, opsAlerts, clock, log }: AftermathDeps): Aftermath {
  return {
    async afterFailure(poll, error) {
      const nowMs = clock.now();
      const watch = poll.subscribers[0]?.watch.id;
      if (storeWatch.takeError(error)) return { retryAtMs: nowMs + STORE_RETRY_MS };
      if (error instanceof RequestHeld) {
        // Its first page was read, and the rest is a gap that the next polls fill.
        if (error.reason === "pace") return {};
        // Rounded up: a fraction of a millisecond too soon would be held again, and again.
        if (error.retryAtMs !== undefined) return { retryAtMs: Math.ceil(nowMs + Math.max(0, error.retryAtMs - clock.monotonic())) + 1 };
        return { notBeforeMs: nowMs + HELD_MS };
      }
      if (!(error instanceof UpstreamError)) {
        log.error("poll failed", { watch, error });
        return { notBeforeMs: nowMs + HELD_MS };
      }
      const { kind, status, message } = error;
      const fields = { watch, endpoint: poll.source.endpoint, kind, status, error: message };
      const after = isRefusal(error) ? await trouble.take(poll, error) : undefined;
      if (after?.isAnswer === true) log.debug("poll answered that there is nothing", fields);
      else log.warn("poll failed", fields);
      if (after !== undefined) return after;
      // The gate knows how long this source has to wait, and answers with the time.
      if (kind === "transient" || kind === "rate_limited") return { retryAtMs: nowMs + 1_000 };
      return { notBeforeMs: nowMs + HELD_MS };
    },
    async reportLosses(poll, outcome) {
      for (const [watch, count] of outcome.tooOld) {
        const message = `${watch}: ${count} items older than max_age not sent; chirpwatch explain says which`;
        await opsAlerts.raise({ type: "watch.gap", subject: watch, watch, severity: "warning", message, facts: { items: count } });
      }
      if (outcome.lostGaps === 0) return;
      for (const watch of new Set(poll.subscribers.map((subscriber) => subscriber.watch.id))) {
        const message = `${watch}: the service would not give ${outcome.lostGaps} part(s) of its history; items in them may be missing`;
        await opsAlerts.raise({ type: "watch.gap", subject: watch, watch, severity: "warning", message });
      }
    },
  };
}
