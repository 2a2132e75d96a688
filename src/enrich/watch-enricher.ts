/**
 * Enriches the waiting events of one watch in rounds. A round asks about a few events at a time,
 * and then releases the events together, oldest first.
 */
import { backoffAfter } from "../model/backoff.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type {
  EnrichedEvent,
  EnrichmentStore,
  PostponedEnrichment,
  WaitingEvent,
} from "../model/enrichment.ts";
import { errorText } from "../model/errors.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { Log } from "../model/log.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import type { Random } from "../model/random.ts";
import type { EnrichRule } from "../model/watch.ts";
import { answeredEvent, failedEvent } from "./enriched-event.ts";
import type { Circuit } from "./circuit.ts";
import { deadlineOf, planRound, type PlannedEvent } from "./plan-round.ts";
import type { Questions } from "./questions.ts";

export interface EnrichDeps {
  readonly store: EnrichmentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Returns the watch's `enrich`; undefined if the watch or its `enrich` was removed. */
  readonly ruleOf: (watchKey: string) => EnrichRule | undefined;
  /**
   * Routes an event by the active configuration. Returns the event with the current name of its
   * watch, and its deliveries.
   */
  readonly route: (
    waiting: WaitingEvent,
    nowMs: number,
  ) => { readonly event: ChirpEvent; readonly deliveries: readonly NewDelivery[] };
  /** Reports that enriched events and their deliveries have been stored. */
  readonly onStored: () => void;
}

const AT_ONCE = 100;
/**
 * The maximum wait between rounds. It is short because the system clock may be set during the wait.
 */
const MAX_SLEEP_MS = 60_000;
/**
 * The wait after the state could not be read or written, and after a round in which no event could
 * be handled.
 */
const AGAIN_MS = 5_000;
const RETRY_STEPS_MS = [5_000, 10_000, 30_000, 60_000, 120_000, 300_000] as const;

export class WatchEnricher {
  readonly #watchKey: string;
  readonly #deps: EnrichDeps;
  readonly #questions: Questions;
  readonly #circuit: Circuit;
  readonly #startedAtMs: number;
  readonly #abort = new AbortController();
  #cancel: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  /**
   * Whether events that wait for a retry are due now, because the endpoint has recovered or the
   * settings have changed.
   */
  #isAllDue = false;

  constructor(
    watchKey: string,
    deps: EnrichDeps,
    { questions, circuit }: { readonly questions: Questions; readonly circuit: Circuit },
  ) {
    this.#watchKey = watchKey;
    this.#deps = deps;
    this.#questions = questions;
    this.#circuit = circuit;
    this.#startedAtMs = deps.clock.now();
  }

  wake(): void {
    this.#isWoken = true;
    this.#cancel?.();
    this.#running ??= this.#runRounds().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * The reason why the endpoint fails, and since when (epoch ms). Undefined if the last question
   * was answered.
   */
  get failing(): { readonly sinceMs: number; readonly reason: string } | undefined {
    const { failing } = this.#circuit;
    const { clock } = this.#deps;
    return failing === undefined
      ? undefined
      : { sinceMs: clock.now() - (clock.monotonic() - failing.sinceMs), reason: failing.reason };
  }

  /**
   * Closes the circuit and tries all waiting events now. Call this when the settings may have
   * changed.
   */
  renew(): void {
    this.#circuit.reset();
    this.#isAllDue = true;
    this.wake();
  }

  /** Stops the rounds. Questions under way are aborted, and asked again after the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#cancel?.();
    await this.#running;
  }

  async #runRounds(): Promise<void> {
    const { clock, log } = this.#deps;
    while (!this.#abort.signal.aborted) {
      this.#isWoken = false;
      const waitMs = await this.#round().catch((error: unknown) => {
        log.warn("enriched events could not be stored", { error: errorText(error) });
        return AGAIN_MS;
      });
      if (this.#isWoken || waitMs <= 0) continue;
      if (waitMs < Number.POSITIVE_INFINITY && !this.#abort.signal.aborted)
        this.#cancel = clock.after(Math.min(waitMs, MAX_SLEEP_MS), () => this.wake());
      return;
    }
  }

  /**
   * Does one round. Resolves to the milliseconds until the next one; infinite if no event waits.
   */
  async #round(): Promise<number> {
    const { store, clock, ruleOf } = this.#deps;
    const rule = ruleOf(this.#watchKey);
    const nowMs = clock.now();
    const isAllDue = this.#isAllDue || rule === undefined;
    const dueAtMs = isAllDue ? Number.MAX_SAFE_INTEGER : nowMs;
    const due = await store.dueEnrichments({ watchKey: this.#watchKey, dueAtMs, limit: AT_ONCE });
    const cached = (event: ChirpEvent) =>
      rule === undefined ? undefined : this.#questions.known(rule, event);
    const planned = planRound(due, {
      rule,
      circuit: this.#circuit,
      cached,
      nowMs,
      startedAtMs: this.#startedAtMs,
    });
    const hadFailed = isAllDue || this.#circuit.failing !== undefined;
    const outcomes = await Promise.all(planned.map((one) => this.#outcomeOf(one, rule)));
    if (this.#abort.signal.aborted) return Number.POSITIVE_INFINITY;
    const enriched = outcomes.flatMap(({ enriched: one }) => one ?? []);
    const postponed = outcomes.flatMap(({ postponed: one }) => one ?? []);
    if (outcomes.length > 0) await this.#store(enriched, postponed);
    this.#isAllDue = hadFailed && enriched.some((one) => one.result === "ok");
    return this.#waitMs(rule, outcomes.length > 0);
  }

  async #store(
    enriched: readonly Outcome["enriched"][],
    postponed: readonly PostponedEnrichment[],
  ): Promise<void> {
    const { store, clock, route, log, onStored } = this.#deps;
    const atMs = clock.now();
    const routed = enriched.flatMap((one): EnrichedEvent[] => {
      if (one === undefined) return [];
      const { waiting, ...rest } = one;
      return [{ ...rest, ...route({ ...waiting, event: one.event }, atMs) }];
    });
    const completed = await store.storeEnrichments({ atMs, enriched: routed, postponed });
    for (const { event, result, error, deliveries } of routed) {
      if (!completed.has(event.id)) continue;
      const sinks = deliveries.map(({ sink }) => sink);
      log.debug("event enriched", {
        event: event.id,
        watch: event.watch,
        result,
        ...(error === "" ? {} : { error }),
        sinks,
      });
    }
    if (completed.size > 0) onStored();
  }

  async #outcomeOf({ waiting, how }: PlannedEvent, rule: EnrichRule | undefined): Promise<Outcome> {
    const { attempts } = waiting;
    if (how.kind === "fail" || rule === undefined)
      return { enriched: failed(waiting, attempts, how.kind === "fail" ? how.reason : "") };
    if (how.kind === "known")
      return { enriched: { waiting, ...answeredEvent(waiting.event, how.answer), attempts } };
    // Each question has a signal of its own, because Node warns about more than ten listeners on
    // one signal.
    const answer = await this.#questions.ask(
      rule,
      waiting.event,
      AbortSignal.any([this.#abort.signal]),
    );
    if ("labels" in answer)
      return {
        enriched: { waiting, ...answeredEvent(waiting.event, answer), attempts: attempts + 1 },
      };
    const nowMs = this.#deps.clock.now();
    const deadlineMs = deadlineOf(waiting.sinceMs, rule, this.#startedAtMs);
    if (rule.onError === "pass" || nowMs >= deadlineMs)
      return { enriched: failed(waiting, attempts + 1, answer.reason) };
    const backoff = {
      stepsMs: RETRY_STEPS_MS,
      jitter: { from: 0.9, to: 1.1, random: this.#deps.random },
    };
    const nextAtMs = Math.round(
      nowMs + Math.max(backoffAfter(backoff, attempts + 1), answer.afterMs ?? 0),
    );
    const eventId = waiting.event.id;
    return {
      postponed: {
        eventId,
        nextAtMs: Math.min(nextAtMs, deadlineMs),
        attempts: attempts + 1,
        error: answer.reason,
      },
    };
  }

  async #waitMs(rule: EnrichRule | undefined, hasDone: boolean): Promise<number> {
    const { store, clock } = this.#deps;
    const left = (await store.enrichmentBacklog()).find(
      ({ watchKey }) => watchKey === this.#watchKey,
    );
    if (left === undefined) return Number.POSITIVE_INFINITY;
    const nowMs = clock.now();
    const waitMs = this.#isAllDue ? 0 : left.nextAtMs - nowMs;
    const circuitMs = this.#circuit.waitMs();
    if (waitMs > 0 || circuitMs === 0 || rule?.onError !== "hold")
      return waitMs > 0 || hasDone ? waitMs : AGAIN_MS;
    const deadlineMs = deadlineOf(left.oldestAtMs, rule, this.#startedAtMs);
    return Math.max(1, Math.min(circuitMs, deadlineMs - nowMs));
  }
}

/**
 * What became of an event: either it is enriched (`enriched`, also if there was no answer and it is
 * released as failed), or it waits for another attempt (`postponed`).
 */
interface Outcome {
  readonly enriched?: Omit<EnrichedEvent, "deliveries"> & { readonly waiting: WaitingEvent };
  readonly postponed?: PostponedEnrichment;
}

const failed = (waiting: WaitingEvent, attempts: number, reason: string) => ({
  waiting,
  ...failedEvent(waiting.event),
  error: reason === "" ? waiting.error : reason,
  attempts,
});
