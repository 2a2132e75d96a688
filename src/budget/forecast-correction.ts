/**
 * How much more slowed-down polls take than is forecast. A poll that comes a tenth as often finds
 * ten times as much: accounts that are read because they changed, and pages of news, do not become
 * fewer in the same measure as polls do. Pure.
 */
export interface CorrectionSample {
  readonly nowMs: number;
  readonly periodId: string;
  /** Requests of the period so far. */
  readonly spent: number;
  /** The forecast from now on; undefined while nothing is slowed down, which says nothing. */
  readonly pacedPerDay: number | undefined;
}

export interface ForecastCorrection {
  /** Called at every read of the ledger. */
  take(sample: CorrectionSample): void;
  /** Real requests per forecast request; 1 while nothing is known, and where they take less. */
  readonly factor: number;
  /** What a restart would forget; the same object while nothing is learned. */
  readonly memory: CorrectionMemory;
  /** Goes on with what was learned before. */
  restore(memory: CorrectionMemory): void;
}

/**
 * Requests, those of long ago counted less. Stored, so `reckoned` keeps its name: it is the
 * forecast.
 */
interface Sums {
  readonly reckoned: number;
  readonly taken: number;
}

export interface CorrectionMemory {
  /**
   * In another period, polls are slowed down by another factor: what was learned in this one is
   * forgotten.
   */
  readonly periodId: string;
  readonly learned: Sums;
  /** Not yet learned from. */
  readonly bucket: Sums & { readonly ms: number };
}

const DAY_MS = 86_400_000;
/** Slowed-down polls come in clumps. */
const BUCKET_MS = 3_600_000;
const HALF_LIFE_MS = 86_400_000;
/** As if so many requests had been just as forecast. */
const PRIOR = 20;
/** First reads are not slowed down: an hour of them is not taken for the pace. */
const MOST = 4;
/**
 * What was spent over a longer time was spent at another pace: the process slept, or the clock was
 * set.
 */
const LONGEST_SAMPLE_MS = 600_000;

const NO_REQUESTS: Sums = { reckoned: 0, taken: 0 };
const EMPTY = { ...NO_REQUESTS, ms: 0 };

export function createForecastCorrection(): ForecastCorrection {
  let last: CorrectionSample | undefined;
  let memory: CorrectionMemory = { periodId: "", learned: NO_REQUESTS, bucket: EMPTY };
  return {
    take(sample) {
      const before = last;
      last = sample;
      if (memory.periodId !== sample.periodId)
        memory = { periodId: sample.periodId, learned: NO_REQUESTS, bucket: EMPTY };
      if (before?.pacedPerDay === undefined || before.periodId !== sample.periodId) return;
      const ms = sample.nowMs - before.nowMs;
      if (ms <= 0 || ms > LONGEST_SAMPLE_MS) return;
      const bucket = {
        ms: memory.bucket.ms + ms,
        reckoned: memory.bucket.reckoned + (before.pacedPerDay * ms) / DAY_MS,
        taken: memory.bucket.taken + sample.spent - before.spent,
      };
      memory = {
        ...memory,
        ...(bucket.ms < BUCKET_MS
          ? { bucket }
          : { learned: learn(memory.learned, bucket), bucket: EMPTY }),
      };
    },
    get factor() {
      const { reckoned, taken } = memory.learned;
      return Math.min(Math.max((taken + PRIOR) / (reckoned + PRIOR), 1), MOST);
    },
    get memory() {
      return memory;
    },
    restore: (kept) => void (memory = kept),
  };
}

function learn(before: Sums, { ms, reckoned, taken }: CorrectionMemory["bucket"]): Sums {
  const kept = 2 ** (-ms / HALF_LIFE_MS);
  return {
    reckoned: before.reckoned * kept + reckoned,
    taken: before.taken * kept + Math.min(taken, reckoned * MOST),
  };
}
