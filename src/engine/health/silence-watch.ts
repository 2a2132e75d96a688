/**
 * Notices a data service that answers but says nothing: lists that held items come back empty everywhere, or nothing at all is new for
 * much longer than the watches' own pace makes likely. The pace is learned since the start; a restart learns anew.
 */
import { type Clock, isoTime } from "../../model/clock.ts";
import type { Notes } from "../../model/store.ts";
import type { Notices } from "../../model/notices.ts";

export interface SilenceWatchDeps {
  readonly clock: Clock;
  readonly notices: Notices;
  readonly notes: Notes;
}

export interface SilenceWatch {
  /** Takes every complete answer of a poll. */
  take(newItems: number): void;
  check(isBlindEverywhere: boolean): Promise<void>;
  /** Polls went: the rest has another pace, which is learned anew. */
  forget(): void;
  readonly isSilent: boolean;
}

/** Items that should have come while none did. A day and a night differ by a factor of ten; even so this does not happen by chance. */
const EXPECTED_TO_TELL = 100;
const SHORTEST_SILENCE_MS = 30 * 60_000;
/** The pace of one day counts half the next. */
const HALF_LIFE_MS = 86_400_000;
/** No pace is believed before it was watched for so long. */
const LEARN_MS = 6 * 3_600_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const NOTE = "upstream.silent";

export function createSilenceWatch({ clock, notices, notes }: SilenceWatchDeps): SilenceWatch {
  let startMs = clock.monotonic();
  let isSilent = false;
  let isRead = false;
  /** Items of all polls, forgotten by half a day. */
  let weight = 0;
  let weighedAtMs = startMs;
  /** Items a millisecond, as they came up to the last one: a silence does not slow it. */
  let pace = 0;
  let lastAnswerMs = startMs;
  /** Time over which answers came without news; pauses between answers count only a little. */
  let quietMs = 0;

  const fade = () => {
    const nowMs = clock.monotonic();
    weight *= 0.5 ** ((nowMs - weighedAtMs) / HALF_LIFE_MS);
    weighedAtMs = nowMs;
  };

  /** Items a millisecond: the weight of a steady pace approaches pace × half-life / ln 2. */
  const paceAt = (nowMs: number): number => {
    const watchedMs = nowMs - startMs;
    const span = (HALF_LIFE_MS / Math.LN2) * (1 - 0.5 ** (watchedMs / HALF_LIFE_MS));
    return watchedMs < LEARN_MS || span === 0 ? 0 : weight / span;
  };

  const tell = async (message: string): Promise<void> => {
    isSilent = true;
    await notes.writeNote(NOTE, clock.now());
    await notices.tell({
      type: "upstream.dark",
      subject: "upstream",
      severity: "critical",
      message,
      hint: "It answers without an error, so this may be its own trouble: compare with the platform itself. Polling goes on.",
    });
  };

  const tellBack = async (): Promise<void> => {
    isSilent = false;
    await notes.writeNote(NOTE, null);
    await notices.tell({
      type: "upstream.recovered",
      subject: "upstream",
      severity: "info",
      message: "The data service has something to say again; what was missed is being read.",
    });
  };

  return {
    take(newItems) {
      const nowMs = clock.monotonic();
      quietMs = newItems > 0 ? 0 : quietMs + Math.min(nowMs - lastAnswerMs, LONGEST_PAUSE_MS);
      lastAnswerMs = nowMs;
      if (newItems === 0) return;
      fade();
      weight += newItems;
      pace = paceAt(nowMs);
    },
    async check(isBlindEverywhere) {
      if (!isRead) isSilent = (await notes.readNote(NOTE)) !== null;
      isRead = true;
      const isTooQuiet = quietMs >= SHORTEST_SILENCE_MS && pace * quietMs >= EXPECTED_TO_TELL;
      if (isSilent) {
        if (!isBlindEverywhere && !isTooQuiet && quietMs < SHORTEST_SILENCE_MS) await tellBack();
      } else if (isBlindEverywhere) await tell("The data service answers with empty lists where there were items before.");
      else if (isTooQuiet) {
        const since = isoTime(clock.now() - quietMs);
        await tell(`The data service answers, but nothing is new anywhere since ${since}, which is not usual for these watches.`);
      }
    },
    forget() {
      [weight, pace, quietMs, startMs] = [0, 0, 0, clock.monotonic()];
    },
    get isSilent() {
      return isSilent;
    },
  };
}
