/**
 * Publishes sent messages to the followers of their channel, one sink at a time and beside its messages: with waits and attempts of their own, the
 * newest first, for an hour. What is not published by then is over, and the operator hears of it once a day.
 */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { CrosspostResult, CrosspostStore, DueCrosspost } from "../model/crosspost.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Random } from "../model/random.ts";
import { SinkError, type Sink } from "../model/sink.ts";
import { nextAttemptAt } from "./ladder.ts";
import { STOPPING } from "./send.ts";

/** Messages of a sink that its channel's followers did not get. */
export interface UnpublishedReport {
  readonly sink: string;
  readonly count: number;
  /** Of the last of them. */
  readonly reason: string;
}

export interface CrosspostDeps {
  readonly store: CrosspostStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Attempts under way, for whoever has to end them. */
  readonly underWay: Set<AbortController>;
  onUnpublished(report: UnpublishedReport): void | Promise<void>;
}

/** News is stale after that. */
const PUBLISH_FOR_MS = 3_600_000;
const REPORT_EVERY_MS = 86_400_000;
const NEVER_TRIED = "the channel's hourly allowance went to newer messages";

type Crosspost = NonNullable<Sink["crosspost"]>;

/** What there is to do for one sink: answers in how many milliseconds to ask again, 0: at once, undefined: when a message was sent. */
export function createCrossposter(deps: CrosspostDeps, sink: string, crosspost: Crosspost): () => Promise<number | undefined> {
  const { store, clock } = deps;
  /** Monotonic. */
  let pausedUntilMs = 0;

  const attempt = async (due: DueCrosspost): Promise<void> => {
    const controller = new AbortController();
    deps.underWay.add(controller);
    try {
      await crosspost(due.ref, controller.signal);
      await end({ messageId: due.messageId, kind: "published", atMs: clock.now() });
    } catch (error) {
      if (controller.signal.reason === STOPPING) return;
      await end(failure(due, error instanceof SinkError ? error : new SinkError("transient", errorText(error))));
    } finally {
      deps.underWay.delete(controller);
    }
  };
  const failure = ({ messageId, attempts, createdAtMs }: DueCrosspost, error: SinkError): CrosspostResult => {
    const nowMs = clock.now();
    const refused = { messageId, kind: "not_published", atMs: nowMs, error: error.message } as const;
    if (error.kind === "message" || error.kind === "destination") return refused;
    const retryAfterMs = typeof error.retry === "object" ? error.retry.afterMs : undefined;
    if (retryAfterMs !== undefined) pausedUntilMs = clock.monotonic() + retryAfterMs;
    const waits = retryAfterMs === undefined ? {} : { retryAfterMs };
    const attempted = { nowMs, failures: attempts + 1, firstAttemptAtMs: createdAtMs, retryForMs: PUBLISH_FOR_MS, ...waits };
    const nextAttemptAtMs = nextAttemptAt(attempted, deps.random);
    if (nextAttemptAtMs === undefined) return refused;
    return { messageId, kind: "retry", nextAttemptAtMs, error: error.message, countAttempt: retryAfterMs === undefined };
  };
  const end = async (result: CrosspostResult) => {
    const outcome = result.kind === "retry" ? "retried" : result.kind;
    deps.meter.count("chirpwatch_crossposts_total", { sink, outcome });
    if (result.kind !== "published") deps.log.info("a message was not published to followers", { sink, outcome, error: result.error });
    await store.recordCrosspost(result);
  };
  const giveUpStale = async (nowMs: number) => {
    const count = await store.expireCrossposts(sink, nowMs - PUBLISH_FOR_MS, nowMs, NEVER_TRIED);
    if (count > 0) deps.meter.count("chirpwatch_crossposts_total", { sink, outcome: "not_published" }, count);
  };
  /** Answers when the next report is due; undefined when there is nothing to say. */
  const report = async (nowMs: number): Promise<number | undefined> => {
    const { unreported: count, reason, reportedAtMs } = await store.crosspostOutlook(sink);
    if (count === 0) return undefined;
    const dueAtMs = (reportedAtMs ?? Number.NEGATIVE_INFINITY) + REPORT_EVERY_MS;
    if (dueAtMs > nowMs) return dueAtMs;
    await deps.onUnpublished({ sink, count, reason });
    await store.markCrosspostsReported(sink, nowMs);
    return undefined;
  };

  return async () => {
    const nowMs = clock.now();
    await giveUpStale(nowMs);
    const reportAtMs = await report(nowMs);
    const pauseMs = Math.max(0, pausedUntilMs - clock.monotonic());
    const due = pauseMs > 0 ? undefined : await store.dueCrosspost(sink, nowMs);
    if (due !== undefined) {
      await attempt(due);
      return 0;
    }
    const { dueAtMs, oldestAtMs } = await store.crosspostOutlook(sink);
    const times = [
      reportAtMs,
      dueAtMs === null ? undefined : Math.max(dueAtMs, nowMs + pauseMs),
      oldestAtMs === null ? undefined : oldestAtMs + PUBLISH_FOR_MS,
    ];
    const next = Math.min(...times.filter((time) => time !== undefined));
    return Number.isFinite(next) ? Math.max(1, next - clock.now()) : undefined;
  };
}
