/**
 * Notices a data service that answers but says nothing: lists that held items come back empty
 * everywhere, or nothing at all is new for much longer than the watches' own pace makes likely. The
 * pace is learned since the start; a restart learns anew.
 */
import { isoTime } from "../../model/clock.ts";
import type { Ports } from "../../model/ports.ts";

export interface SilenceWatchDeps extends Pick<Ports, "clock" | "opsAlerts"> {}

/**
 * Items that should have come while none did. A day and a night differ by a factor of ten; even so
 * this does not happen by chance.
 */
const EXPECTED_BEFORE_ALERT = 100;
const SHORTEST_SILENCE_MS = 30 * 60_000;
/** The pace of one day counts half the next. */
const HALF_LIFE_MS = 86_400_000;
/** No pace is believed before it was watched for so long. */
const LEARN_MS = 6 * 3_600_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** It is checked every 30 s. */
const SEEN_FOR_MS = 90_000;
const OF_EMPTY_LISTS = "The data service answers with empty lists where there were items before.";
const CONDITION = "upstream.silent";

export class SilenceWatch {
  readonly #deps: SilenceWatchDeps;
  readonly #pace: ItemPace;
  /**
   * Lists that were empty are back with what they held, a silence ends with something new; after a
   * restart nobody knows which it was.
   */
  #isOfEmptyLists = false;
  /** Whether anything answered so since it was last seen. */
  #isBack = false;
  #lastAnswerMs: number;
  /** Time over which answers came without news; pauses between answers count only a little. */
  #quietMs = 0;

  constructor(deps: SilenceWatchDeps) {
    this.#deps = deps;
    this.#lastAnswerMs = deps.clock.monotonic();
    this.#pace = new ItemPace(this.#lastAnswerMs);
  }

  /** Takes every complete answer of a poll. `hasItems`: of a list that held some, new or not. */
  take(newItems: number, hasItems: boolean): void {
    const nowMs = this.#deps.clock.monotonic();
    this.#isBack ||= newItems > 0 || (hasItems && this.#isOfEmptyLists);
    this.#quietMs =
      newItems > 0 ? 0 : this.#quietMs + Math.min(nowMs - this.#lastAnswerMs, LONGEST_PAUSE_MS);
    this.#lastAnswerMs = nowMs;
    if (newItems > 0) this.#pace.learn(newItems, nowMs);
  }

  async check(isSuspiciousEverywhere: boolean): Promise<void> {
    const { clock, opsAlerts } = this.#deps;
    await opsAlerts.load();
    const quietMs = this.#quietMs;
    const isTooQuiet =
      quietMs >= SHORTEST_SILENCE_MS && this.#pace.perMs * quietMs >= EXPECTED_BEFORE_ALERT;
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

  /** Polls went: the rest has another pace, which is learned anew. */
  forget(): void {
    // What the rest shows is seen anew.
    this.#isBack = true;
    this.#quietMs = 0;
    this.#pace.forget(this.#deps.clock.monotonic());
  }

  get isSilent(): boolean {
    return this.#deps.opsAlerts.lasting(CONDITION).size > 0;
  }

  #quietText(sinceMs: number): string {
    return `The data service answers, but nothing is new anywhere since ${isoTime(sinceMs)}, which is not usual for these watches.`;
  }

  async #alert(message: string): Promise<void> {
    await this.#deps.opsAlerts.raise({
      once: { key: CONDITION, seenForMs: SEEN_FOR_MS },
      type: "upstream.dark",
      subject: "upstream",
      severity: "critical",
      message,
      hint: "It answers without an error, so this may be its own trouble: compare with the platform itself. Polling goes on.",
    });
  }

  async #alertRecovered(): Promise<void> {
    this.#isOfEmptyLists = false;
    await this.#deps.opsAlerts.clear(CONDITION, {
      type: "upstream.recovered",
      subject: "upstream",
      severity: "info",
      message: "The data service has something to say again; what was missed is being read.",
    });
  }
}

/** How often all polls together bring something new; of late, and not known in the first hours. */
class ItemPace {
  #startMs: number;
  /** Items of all polls, forgotten by half a day. */
  #weight = 0;
  #weighedAtMs: number;
  /** Items a millisecond, as they came up to the last one: a silence does not slow it. */
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

  /** The weight of a steady pace approaches pace × half-life / ln 2. */
  #perMsAt(nowMs: number): number {
    const watchedMs = nowMs - this.#startMs;
    const span = (HALF_LIFE_MS / Math.LN2) * (1 - 0.5 ** (watchedMs / HALF_LIFE_MS));
    return watchedMs < LEARN_MS || span === 0 ? 0 : this.#weight / span;
  }
}
