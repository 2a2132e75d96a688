/**
 * Publishes sent messages to the followers of their channel, the newest message first. This is
 * independent of the deliveries and has waits and attempts of its own. A message that is not
 * published within an hour is given up, and the operator is alerted at most once a day.
 */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type {
  CrosspostOutlook,
  CrosspostResult,
  CrosspostStore,
  DueCrosspost,
} from "../model/crosspost.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Random } from "../model/random.ts";
import { SinkError, type Sink } from "../model/sink.ts";
import { isAskedToWait } from "./outcome/classify.ts";
import { nextAttemptAt } from "./outcome/retry-schedule.ts";
import { createSinkWaits, forgetWaits, keepWait, pauseMs } from "./queue/sink-waits.ts";
import { type Abortable, STOPPING } from "./stages/send.ts";

/** A report about messages of a sink that were not published to the followers of its channel. */
export interface UnpublishedReport {
  readonly sink: string;
  readonly count: number;
  /** Why the last unpublished message was not published. */
  readonly reason: string;
}

export interface CrosspostDeps {
  readonly store: CrosspostStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** The requests to sinks that are under way, which a stop of the daemon may abort. */
  readonly underWay: Set<Abortable>;
  onUnpublished(report: UnpublishedReport): void | Promise<void>;
}

/** How long after its creation a message may be published. Older messages are no longer news. */
const PUBLISH_FOR_MS = 3_600_000;
const REPORT_EVERY_MS = 86_400_000;
const NEVER_TRIED = "the channel's hourly allowance went to newer messages";

type Crosspost = NonNullable<Sink["crosspost"]>;
type Missed = Pick<CrosspostOutlook, "unreported" | "reason" | "reportedAtMs">;

/**
 * Publishes the messages of one sink. Only the wait that the vendor asked for is kept in memory;
 * everything else is in the store.
 */
export class Crossposter {
  readonly #deps: CrosspostDeps;
  readonly #sink: string;
  readonly #crosspost: Crosspost;
  /**
   * The wait that the vendor asked for in answers to publish requests, which have rate limits of
   * their own.
   */
  readonly #waits = createSinkWaits();

  constructor(deps: CrosspostDeps, sink: string, crosspost: Crosspost) {
    this.#deps = deps;
    this.#sink = sink;
    this.#crosspost = crosspost;
  }

  /**
   * Publishes at most one message that is due. Returns in how many milliseconds to call this method
   * again, or undefined if the next call is needed only after a message was sent.
   */
  async turn(): Promise<number | undefined> {
    const { store, clock } = this.#deps;
    const nowMs = clock.now();
    const { oldestAtMs, dueAtMs, ...missed } = await this.#outlook(nowMs);
    const reportAtMs = await this.#report(missed, nowMs);
    const waitMs = pauseMs({ waits: this.#waits }, clock);
    const isDue = waitMs === 0 && dueAtMs !== null && dueAtMs <= nowMs;
    const due = isDue ? await store.dueCrosspost(this.#sink, nowMs) : undefined;
    if (due !== undefined) {
      await this.#attempt(due);
      return 0;
    }
    const times = [
      reportAtMs,
      dueAtMs === null ? undefined : Math.max(dueAtMs, nowMs + waitMs),
      oldestAtMs === null ? undefined : oldestAtMs + PUBLISH_FOR_MS,
    ];
    const next = Math.min(...times.filter((time) => time !== undefined));
    return Number.isFinite(next) ? Math.max(1, next - clock.now()) : undefined;
  }

  /**
   * Gives up messages that are too old, and returns the state of those that remain to be published.
   */
  async #outlook(nowMs: number): Promise<CrosspostOutlook> {
    const { store, meter } = this.#deps;
    const outlook = await store.crosspostOutlook(this.#sink);
    const createdUntilMs = nowMs - PUBLISH_FOR_MS;
    if (outlook.oldestAtMs === null || outlook.oldestAtMs > createdUntilMs) return outlook;
    const count = await store.expireCrossposts(this.#sink, {
      createdUntilMs,
      nowMs,
      reason: NEVER_TRIED,
    });
    if (count > 0)
      meter.count(
        "chirpwatch_crossposts_total",
        { sink: this.#sink, outcome: "not_published" },
        count,
      );
    return store.crosspostOutlook(this.#sink);
  }

  /**
   * Reports messages that were not published, if a report is due. Returns when the next report is
   * due, in epoch ms; undefined if there is nothing to report.
   */
  async #report(
    { unreported: count, reason, reportedAtMs }: Missed,
    nowMs: number,
  ): Promise<number | undefined> {
    const { store } = this.#deps;
    if (count === 0) return undefined;
    const dueAtMs = (reportedAtMs ?? Number.NEGATIVE_INFINITY) + REPORT_EVERY_MS;
    if (dueAtMs > nowMs) return dueAtMs;
    await this.#deps.onUnpublished({ sink: this.#sink, count, reason });
    await store.markCrosspostsReported(this.#sink, nowMs);
    return undefined;
  }

  async #attempt(due: DueCrosspost): Promise<void> {
    const { clock, underWay } = this.#deps;
    const controller = new AbortController();
    underWay.add(controller);
    const sentAtMs = clock.monotonic();
    try {
      await this.#crosspost(due.ref, controller.signal);
      forgetWaits({ waits: this.#waits });
      await this.#record({ messageId: due.messageId, kind: "published", atMs: clock.now() });
    } catch (error) {
      if (controller.signal.reason === STOPPING) return;
      const failure =
        error instanceof SinkError ? error : new SinkError("transient", errorText(error));
      if (isAskedToWait(failure))
        keepWait({ waits: this.#waits }, failure, { sentAtMs, nowMs: clock.monotonic() });
      await this.#record(this.#failure(due, failure));
    } finally {
      underWay.delete(controller);
    }
  }

  #failure({ messageId, attempts, createdAtMs }: DueCrosspost, error: SinkError): CrosspostResult {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const refused = {
      messageId,
      kind: "not_published",
      atMs: nowMs,
      error: error.message,
    } as const;
    if (error.kind === "message" || error.kind === "destination") return refused;
    const asksToWait = isAskedToWait(error);
    const waits = asksToWait ? { retryAfterMs: pauseMs({ waits: this.#waits }, clock) } : {};
    const attempted = {
      nowMs,
      failures: attempts + 1,
      firstAttemptAtMs: createdAtMs,
      retryForMs: PUBLISH_FOR_MS,
      ...waits,
    };
    const nextAttemptAtMs = nextAttemptAt(attempted, random);
    if (nextAttemptAtMs === undefined) return refused;
    return {
      messageId,
      kind: "retry",
      nextAttemptAtMs,
      error: error.message,
      countAttempt: !asksToWait,
    };
  }

  async #record(result: CrosspostResult): Promise<void> {
    const { meter, log, store } = this.#deps;
    const sink = this.#sink;
    const outcome = result.kind === "retry" ? "retried" : result.kind;
    meter.count("chirpwatch_crossposts_total", { sink, outcome });
    if (result.kind !== "published")
      log.info("a message was not published to followers", { sink, outcome, error: result.error });
    await store.recordCrosspost(result);
  }
}
