/**
 * Learns by what factor the cost of slowed-down polls exceeds its forecast. A poll that runs a
 * tenth as often finds ten times as many new items each time. So polls become fewer, but the reads
 * that a poll triggers and the pages that it reads hardly decrease. Pure.
 */
export interface CorrectionSample {
  readonly nowMs: number;
  readonly periodId: string;
  /** How many requests the period has used so far. */
  readonly spent: number;
  /**
   * How many requests per day the slowed-down polls are forecast to make from now on; undefined
   * while nothing is slowed down, because then nothing can be learned.
   */
  readonly pacedPerDay: number | undefined;
}

export interface ForecastCorrection {
  /** Adds a sample. Called at every read of the ledger. */
  addSample(sample: CorrectionSample): void;
  /**
   * The number of requests that are made for each request that was forecast. It is at least 1, and
   * 1 while nothing was learned.
   */
  readonly factor: number;
  /**
   * The data that must survive a restart. The object is replaced only if a sample has changed the
   * data.
   */
  readonly memory: CorrectionMemory;
  /** Restores what was learned before. */
  restore(memory: CorrectionMemory): void;
}

/**
 * Sums of requests in which older requests count less: `reckoned` were forecast, `taken` were made.
 * The names are stored, so they do not change.
 */
interface Sums {
  readonly reckoned: number;
  readonly taken: number;
}

export interface CorrectionMemory {
  /**
   * The billing period of the sums. In another period, polls are slowed down by a different factor,
   * so what was learned is discarded.
   */
  readonly periodId: string;
  readonly learned: Sums;
  /** The sums of samples from which nothing was learned yet. */
  readonly bucket: Sums & { readonly ms: number };
}

const DAY_MS = 86_400_000;
/** Slowed-down polls come in clusters, so samples are collected for this long. */
const BUCKET_MS = 3_600_000;
const HALF_LIFE_MS = 86_400_000;
/** The weight of the prior: this many requests count as if they had matched the forecast. */
const PRIOR = 20;
/**
 * The maximum of `factor`. First reads are not slowed down, so an hour full of them would suggest a
 * factor that is far too high.
 */
const MAX_FACTOR = 4;
/**
 * The longest time between two samples. If more time has passed, the process was suspended or the
 * clock was set, so nothing is learned from the pair.
 */
const MAX_SAMPLE_MS = 600_000;

const NO_REQUESTS: Sums = { reckoned: 0, taken: 0 };
const EMPTY = { ...NO_REQUESTS, ms: 0 };

export function createForecastCorrection(): ForecastCorrection {
  let last: CorrectionSample | undefined;
  let memory: CorrectionMemory = { periodId: "", learned: NO_REQUESTS, bucket: EMPTY };
  return {
    addSample(sample) {
      const before = last;
      last = sample;
      if (memory.periodId !== sample.periodId)
        memory = { periodId: sample.periodId, learned: NO_REQUESTS, bucket: EMPTY };
      if (before?.pacedPerDay === undefined || before.periodId !== sample.periodId) return;
      const ms = sample.nowMs - before.nowMs;
      if (ms <= 0 || ms > MAX_SAMPLE_MS) return;
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
      return Math.min(Math.max((taken + PRIOR) / (reckoned + PRIOR), 1), MAX_FACTOR);
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
    taken: before.taken * kept + Math.min(taken, reckoned * MAX_FACTOR),
  };
}
