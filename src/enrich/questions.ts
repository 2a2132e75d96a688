/**
 * Sends questions about the events of one watch to the watch's endpoint, caches and counts the
 * answers, and raises one ops alert if the endpoint fails for some time.
 */
import { ENRICH_LABEL } from "../model/enrichment.ts";
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { OpsAlerts } from "../model/ops-alerts.ts";
import type { EnrichRule } from "../model/watch.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { type AskAbout, EnrichFailure } from "./ask.ts";
import type { Circuit } from "./circuit.ts";
import type { Enrichment } from "./read-enrichment.ts";

export interface QuestionsDeps {
  readonly ask: AskAbout;
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly opsAlerts: Pick<OpsAlerts, "raise" | "clear">;
}

export interface NoAnswer {
  readonly reason: string;
  readonly afterMs: number | undefined;
}

/** How long the endpoint must fail before an ops alert is raised. */
const REPORTED_AFTER_MS = 60_000;

const failingKey = (watchKey: string): string => `${ENRICH_LABEL}.failing:${watchKey}`;

export class Questions {
  readonly #watchKey: string;
  readonly #circuit: Circuit;
  readonly #deps: QuestionsDeps;
  readonly #undeclared = new Set<string>();
  /**
   * Whether an ops alert may be active. It is true at first, because an earlier process may have
   * raised one.
   */
  #isPerhapsReported = true;

  constructor(watchKey: string, circuit: Circuit, deps: QuestionsDeps) {
    this.#watchKey = watchKey;
    this.#circuit = circuit;
    this.#deps = deps;
  }

  known(rule: EnrichRule, event: ChirpEvent): Enrichment | undefined {
    const answer = this.#deps.cache.get(rule, event);
    if (answer !== undefined)
      this.#deps.meter.count("chirpwatch_enrichments_total", {
        watch: event.watch,
        result: "cached",
      });
    return answer;
  }

  /**
   * Sends a question about an event. If there is no answer, resolves to the reason; never rejects.
   */
  async ask(
    rule: EnrichRule,
    event: ChirpEvent,
    signal: AbortSignal,
  ): Promise<Enrichment | NoAnswer> {
    const { ask, cache, clock, meter } = this.#deps;
    const { watch } = event;
    const beganMs = clock.monotonic();
    try {
      const answer = await ask(rule, event, signal);
      meter.count("chirpwatch_enrichments_total", { watch, result: "ok" });
      cache.put(rule, event, answer);
      this.#circuit.recordSuccess();
      this.#warnOfUndeclared(watch, answer);
      await this.#clear(watch);
      return answer;
    } catch (error) {
      if (signal.aborted) return { reason: "", afterMs: undefined };
      const afterMs = error instanceof EnrichFailure ? error.afterMs : undefined;
      const reason = errorText(error);
      meter.count("chirpwatch_enrichments_total", { watch, result: "failed" });
      this.#circuit.recordFailure(reason, afterMs);
      await this.#report(rule, watch);
      return { reason, afterMs };
    } finally {
      meter.observe(
        "chirpwatch_enrichment_duration_seconds",
        (clock.monotonic() - beganMs) / 1_000,
        { watch },
      );
    }
  }

  async #report(rule: EnrichRule, watch: string): Promise<void> {
    const { clock, log, opsAlerts } = this.#deps;
    const { failing } = this.#circuit;
    if (failing === undefined) return;
    const { reason, count, sinceMs } = failing;
    log.warn("an enrichment failed", { watch, reason, failures: count });
    if (count < 2 || clock.monotonic() - sinceMs < REPORTED_AFTER_MS) return;
    this.#isPerhapsReported = true;
    const meanwhile =
      rule.onError === "hold"
        ? "wait for `max_hold` and are then sent without it"
        : "are sent without it";
    await opsAlerts.raise({
      type: "enrich.failing",
      subject: watch,
      severity: "warning",
      watch,
      message: `Events of ${watch} are not enriched: ${reason}`,
      hint: `Alerts ${meanwhile}, with the label enrich="failed".`,
      once: { key: failingKey(this.#watchKey) },
    });
  }

  async #clear(watch: string): Promise<void> {
    if (!this.#isPerhapsReported) return;
    this.#isPerhapsReported = false;
    const message = `Events of ${watch} are enriched again.`;
    await this.#deps.opsAlerts.clear(failingKey(this.#watchKey), {
      type: "enrich.recovered",
      subject: watch,
      severity: "info",
      watch,
      message,
    });
  }

  #warnOfUndeclared(watch: string, { undeclared }: Enrichment): void {
    const fresh = undeclared.filter((label) => !this.#undeclared.has(label));
    if (fresh.length === 0) return;
    for (const label of fresh) this.#undeclared.add(label);
    const hint = "list them under `labels` of `enrich`, unless every event has them already";
    this.#deps.log.warn("an enrichment returned labels that the watch does not declare", {
      watch,
      labels: fresh,
      hint,
    });
  }
}
