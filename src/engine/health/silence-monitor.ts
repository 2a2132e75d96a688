/**
 * Detects that the data service answers without content. Either lists that held items come back
 * empty for most watches, or nothing is new for much longer than is likely at the usual rate of new
 * items. The rate is learned again after each start.
 */
import { isoTime } from "../../model/clock.ts";
import type { Ports } from "../../model/ports.ts";

export interface SilenceMonitorDeps extends Pick<Ports, "clock" | "opsAlerts"> {}

/**
 * An alert is raised when at least this many items would have been found at the usual rate. Rates
 * can differ by a factor of ten between day and night, but even then such a silence is not chance.
 */
const EXPECTED_BEFORE_ALERT = 100;
const MIN_SILENCE_MS = 30 * 60_000;
/** The time in which the weight of an item in the rate halves. */
const HALF_LIFE_MS = 86_400_000;
/** The rate must have been observed for this long before it is used. */
const LEARN_MS = 6 * 3_600_000;
const MAX_PAUSE_MS = 10 * 60_000;
/** How long a replica's alert counts as seen: three checks, which are made every 30 s. */
const SEEN_FOR_MS = 90_000;
const OF_EMPTY_LISTS = "The data service answers with empty lists where there were items before.";
const CONDITION = "upstream.silent";

export class SilenceMonitor {
  readonly #deps: SilenceMonitorDeps;
  readonly #pace: ItemPace;
  /**
   * Whether the reported silence was detected by empty lists. Such a silence ends when lists show
   * items again, while any other silence ends when something is new. After a restart this is not
   * known.
   */
  #isOfEmptyLists = false;
  /** Whether an answer since the last detection of the silence shows that it is over. */
  #isBack = false;
  #lastAnswerMs: number;
  /**
   * The time in ms without a new item. Of a pause between two answers, at most `MAX_PAUSE_MS` is
   * added.
   */
  #quietMs = 0;

  constructor(deps: SilenceMonitorDeps) {
    this.#deps = deps;
    this.#lastAnswerMs = deps.clock.monotonic();
    this.#pace = new ItemPace(this.#lastAnswerMs);
  }

  /**
   * Counts a complete answer of a poll. `hasItems` is true if the answer is a list with items,
   * whether new or not.
   */
  countAnswer(newItems: number, hasItems: boolean): void {
    const nowMs = this.#deps.clock.monotonic();
    this.#isBack ||= newItems > 0 || (hasItems && this.#isOfEmptyLists);
    this.#quietMs =
      newItems > 0 ? 0 : this.#quietMs + Math.min(nowMs - this.#lastAnswerMs, MAX_PAUSE_MS);
    this.#lastAnswerMs = nowMs;
    if (newItems > 0) this.#pace.learn(newItems, nowMs);
  }

  async check(isSuspiciousEverywhere: boolean): Promise<void> {
    const { clock, opsAlerts } = this.#deps;
    await opsAlerts.load();
    const quietMs = this.#quietMs;
    const isTooQuiet =
      quietMs >= MIN_SILENCE_MS && this.#pace.perMs * quietMs >= EXPECTED_BEFORE_ALERT;
    if (isSuspiciousEverywhere) [this.#isOfEmptyLists, this.#isBack] = [true, false];
    const message = isSuspiciousEverywhere
      ? OF_EMPTY_LISTS
      : isTooQuiet
        ? this.#quietText(clock.now() - quietMs)
        : undefined;
    if (this.isSilent && this.#isBack && (this.#isOfEmptyLists || !isTooQuiet))
      return this.#alertRecovered();
    if (message === undefined) return;
    if (!this.isSilent) [this.#isOfEmptyLists, this.#isBack] = [isSuspiciousEverywhere, false];
    await this.#alert(message);
  }

  /**
   * Forgets the learned rate. Called when polls were removed, because the remaining ones have
   * another rate.
   */
  forget(): void {
    // If the remaining polls find nothing either, the silence is detected again.
    this.#isBack = true;
    this.#quietMs = 0;
    this.#pace.forget(this.#deps.clock.monotonic());
  }

  get isSilent(): boolean {
    return this.#deps.opsAlerts.lasting(CONDITION).size > 0;
  }

  #quietText(sinceMs: number): string {
    return `The data service answers, but has returned nothing new for any watch since ${isoTime(sinceMs)}, which is unusual.`;
  }

  async #alert(message: string): Promise<void> {
    await this.#deps.opsAlerts.raise({
      once: { key: CONDITION, seenForMs: SEEN_FOR_MS },
      type: "upstream.dark",
      subject: "upstream",
      severity: "critical",
      message,
      hint: "It answers without errors, so the fault may lie in the service: compare its answers with the platform itself. Polling continues.",
    });
  }

  async #alertRecovered(): Promise<void> {
    this.#isOfEmptyLists = false;
    await this.#deps.opsAlerts.clear(CONDITION, {
      type: "upstream.recovered",
      subject: "upstream",
      severity: "info",
      message: "The data service returns new items again; what was missed is being read.",
    });
  }
}

/**
 * The rate at which all polls together find new items, with more weight for recent items. It is 0
 * until it has been observed for `LEARN_MS`.
 */
class ItemPace {
  #startMs: number;
  /**
   * The sum of the items' weights. The weight of an item is 1 at first and halves in every
   * half-life.
   */
  #weight = 0;
  #weighedAtMs: number;
  /**
   * The new items per millisecond, computed when the last item arrived, so that a silence does not
   * reduce it.
   */
  #perMs = 0;

  constructor(nowMs: number) {
    this.#startMs = nowMs;
    this.#weighedAtMs = nowMs;
  }

  get perMs(): number {
    return this.#perMs;
  }

  learn(newItems: number, nowMs: number): void {
    this.#weight *= 0.5 ** ((nowMs - this.#weighedAtMs) / HALF_LIFE_MS);
    this.#weighedAtMs = nowMs;
    this.#weight += newItems;
    this.#perMs = this.#perMsAt(nowMs);
  }

  forget(nowMs: number): void {
    [this.#weight, this.#perMs, this.#startMs] = [0, 0, nowMs];
  }

  /**
   * Returns the items per millisecond: the sum of weights, divided by the sum that a steady rate of
   * one item per millisecond would have reached by now. That sum approaches half-life / ln 2.
   */
  #perMsAt(nowMs: number): number {
    const watchedMs = nowMs - this.#startMs;
    const span = (HALF_LIFE_MS / Math.LN2) * (1 - 0.5 ** (watchedMs / HALF_LIFE_MS));
    return watchedMs < LEARN_MS || span === 0 ? 0 : this.#weight / span;
  }
}
