/**
 * How often accounts change without a post: pins that moved, posts that were taken back, spells out of sight, posts that nobody is shown.
 * Each is read for again and again, because a post might account for it. Counted while groups run, over the days for which their accounts
 * were watched; one number a group, as a single account shows too little of it. Pure.
 */
import { sum } from "../sum.ts";

/** What a group has shown of it; what was seen long ago counts less. */
export interface OtherChanges {
  readonly changes: number;
  /** Days for which it was watched, times accounts. */
  readonly accountDays: number;
  /** Since then it was watched without a long pause; our clock. */
  readonly sinceMs: number;
  /** The last run. */
  readonly lastMs: number;
}

/** A run in which accounts were probed. */
export interface WatchedRun {
  readonly accounts: number;
  /** Of each change that was given up in it: the last probe before it; our clock. */
  readonly changedMs: readonly number[];
  readonly startedAtMs: number;
  /** From one run to the next. */
  readonly intervalMs: number;
}

const DAY_MS = 86_400_000;
/** What is longer is no wait for the next run. */
const LONGEST_PAUSE_MS = 7_200_000;
/** The same where runs are further apart than that. */
const LONGEST_PAUSE_RUNS = 2;
/** A day for each account of which nothing is known: two in a hundred change. */
export const USUAL_CHANGES_PER_DAY = 0.02;
/** What is usual, or what other groups show, is worth so many days of one account: one change. */
const WORTH_OF_USUAL = 1 / USUAL_CHANGES_PER_DAY;
/** Behaviour changes: evidence counts half after so long. */
const HALF_LIFE_DAYS = 21;
/** Changes of so many times the usual number, and three for chance, are those of the service: its counters were wrong, or it hid accounts. */
const TOO_MANY = 20;
const BY_CHANCE = 3;

/**
 * With a further run. What changed during a pause, as of the daemon or the service, is left out, as the pause itself is: of several changes one is seen, and of one that came
 * with posts none. So is what a clock that was set back makes of the times.
 */
export function countChanges(known: OtherChanges | undefined, run: WatchedRun): OtherChanges {
  const { startedAtMs, changedMs } = run;
  if (known === undefined) return { changes: 0, accountDays: 0, sinceMs: startedAtMs, lastMs: startedAtMs };
  const passedMs = startedAtMs - known.lastMs;
  if (passedMs < 0 || passedMs > Math.max(LONGEST_PAUSE_MS, LONGEST_PAUSE_RUNS * run.intervalMs))
    return { ...known, sinceMs: startedAtMs, lastMs: startedAtMs };
  const accountDays = (run.accounts * passedMs) / DAY_MS;
  const seen = changedMs.filter((atMs) => atMs >= known.sinceMs).length;
  const changes = seen > BY_CHANCE + TOO_MANY * USUAL_CHANGES_PER_DAY * accountDays ? 0 : seen;
  const kept = 2 ** (-passedMs / DAY_MS / HALF_LIFE_DAYS);
  return {
    changes: known.changes * kept + changes,
    accountDays: known.accountDays * kept + accountDays,
    sinceMs: known.sinceMs,
    lastMs: startedAtMs,
  };
}

/**
 * A day for each account of a group: what is usual, outweighed by what the other groups show, and that by what its own accounts do. Undefined
 * where nothing was watched.
 */
export function changesPerDay(own: OtherChanges | undefined, others: readonly OtherChanges[]): number | undefined {
  const all = own === undefined ? others : [...others, own];
  if (all.every(({ accountDays }) => accountDays === 0)) return undefined;
  const elsewhere = { changes: sum(others, ({ changes }) => changes), accountDays: sum(others, ({ accountDays }) => accountDays) };
  const expected = weighed(elsewhere, USUAL_CHANGES_PER_DAY);
  return own === undefined ? expected : weighed(own, expected);
}

const weighed = ({ changes, accountDays }: Pick<OtherChanges, "changes" | "accountDays">, expected: number): number =>
  (changes + expected * WORTH_OF_USUAL) / (accountDays + WORTH_OF_USUAL);
