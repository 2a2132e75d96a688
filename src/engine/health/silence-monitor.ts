/**
 * Detects a data service that answers but has nothing to say: everywhere, lists that held items
 * come back empty, or nothing is new for much longer than is likely at the usual pace of these
 * watches. The pace is learned again after each start.
 */
import { isoTime } from "../../model/clock.ts";
import type { Ports } from "../../model/ports.ts";

export interface SilenceMonitorDeps extends Pick<Ports, "clock" | "opsAlerts"> {}

/**
 * The number of items that should have come in the silent time. Day and night can differ by a
 * factor of ten, but even then a silence of this length is not chance.
 */
const EXPECTED_BEFORE_ALERT = 100;
const MIN_SILENCE_MS = 30 * 60_000;
/** The weight of an item in the pace halves in this time. */
const HALF_LIFE_MS = 86_400_000;
/** The pace is not used before it was observed for this long. */
const LEARN_MS = 6 * 3_600_000;
const MAX_PAUSE_MS = 10 * 60_000;
/** Three checks, which are made every 30 s. */
const SEEN_FOR_MS = 90_000;
const OF_EMPTY_LISTS = "The data service answers with empty lists where there were items before.";
const CONDITION = "upstream.silent";

export class SilenceMonitor {
  readonly #deps: SilenceMonitorDeps;
  readonly #pace: ItemPace;
  /**
   * Whether the reported silence consists of empty lists. Such a silence ends when lists show items
   * again, the other kind when something is new. After a restart this is not known.
   */
  #isOfEmptyLists = false;
  /** Whether an answer has ended the silence since it was last seen. */
  #isBack = false;
  #lastAnswerMs: number;
  /**
   * The time in which answers brought nothing new. A pause between two answers counts only up to a
   * limit.
   */
  #quietMs = 0;

  constructor(deps: SilenceMonitorDeps) {
    this.#deps = deps;
    this.#lastAnswerMs = deps.clock.monotonic();
    this.#pace = new ItemPace(this.#lastAnswerMs);
  }

  /**
   * Counts a complete answer of a poll. `hasItems`: the answer is a list with items, new or not.
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

  /** Forgets the pace, because polls were removed and the rest have another pace. */
  forget(): void {
    // The remaining polls show again whether there is a silence.
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
 * The rate at which all polls together bring new items, with recent items weighted more. Zero until
 * it has been observed for some hours.
 */
class ItemPace {
  #startMs: number;
  /** The number of items, with the weight of each halved every half-life. */
  #weight = 0;
  #weighedAtMs: number;
  /** New items per millisecond, as of the last one, so that a silence does not reduce it. */
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
   * Divides the weight by the weight that a steady pace of one item per millisecond would have by
   * now. In the long run that is half-life / ln 2.
   */
  #perMsAt(nowMs: number): number {
    const watchedMs = nowMs - this.#startMs;
    const span = (HALF_LIFE_MS / Math.LN2) * (1 - 0.5 ** (watchedMs / HALF_LIFE_MS));
    return watchedMs < LEARN_MS || span === 0 ? 0 : this.#weight / span;
  }
}
