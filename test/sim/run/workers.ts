/**
 * Spreads seeds over child processes, starts a fresh process after some hundreds of them, and
 * collects the results.
 */
import { type ChildProcess, fork } from "node:child_process";
import type { Verdict } from "./play-seed.ts";

export interface SpreadOptions<AJob extends object, Outcome> {
  /** The script of a worker. It plays each job it is sent and answers with the result. */
  readonly script: string;
  readonly workers: number;
  /** Returns the next job, or undefined if there is none left. */
  readonly next: () => AJob | undefined;
  readonly onVerdict: (verdict: Outcome) => void;
  /** Returns the verdict on a job whose worker never answered. */
  readonly failed: (job: AJob, text: string) => Outcome;
}

export interface Job {
  readonly seed: number;
  /** The number of daemons for the seed; one if absent. */
  readonly replicas?: number;
  /** The file of a stored scenario, played instead of the seed's. */
  readonly file?: string;
  /** Whether to play it twice, to check that it gives the same result. */
  readonly isTwice: boolean;
  /**
   * Whether to compare a backtest of the scenario with the state that it leaves, instead of running
   * all checks.
   */
  readonly isBacktest?: boolean;
  /** Whether the backtest uses a changed configuration, which is played as well. */
  readonly isChanged?: boolean;
}

const JOBS_PER_PROCESS = 150;
/**
 * A seed takes a second or two of CPU time, or a minute or two on a busy machine. One that takes
 * this long will not end.
 */
const LONGEST_MS = 600_000;

const NOTHING = { requests: 0, messages: 0, lives: 0, stalls: 0, replaced: 0 };

/** Returns the verdict on a seed whose worker never answered. */
export const failedSeed = ({ seed }: Job, text: string): Verdict => ({
  ...{ seed, hash: "", objections: [text], cpuMs: 0, cuts: [], counts: NOTHING },
});

export async function spread<AJob extends object, Outcome>(
  options: SpreadOptions<AJob, Outcome>,
): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => work(options)));
}

async function work<AJob extends object, Outcome>(
  options: SpreadOptions<AJob, Outcome>,
): Promise<void> {
  for (let job = options.next(); job !== undefined; ) {
    // Source maps cost a fifth of the time. A failed seed is played again on its own to see its
    // stack.
    const child = fork(options.script, ["--worker"], { execArgv: ["--max-semi-space-size=64"] });
    for (let played = 0; job !== undefined && played < JOBS_PER_PROCESS; played += 1) {
      const verdict = await ask(child, job, options.failed);
      // The process ended before it took the job, so a fresh one plays it.
      if (verdict === undefined) break;
      options.onVerdict(verdict);
      job = options.next();
      if (child.exitCode !== null || child.killed) break;
    }
    child.kill();
  }
}

/** Sends a job. Resolves with undefined if the process did not take it. */
function ask<AJob extends object, Outcome>(
  child: ChildProcess,
  job: AJob,
  failed: SpreadOptions<AJob, Outcome>["failed"],
): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    const finish = (verdict: Outcome | undefined) => {
      clearTimeout(timer);
      child.off("message", finish);
      child.off("exit", onExit);
      resolve(verdict);
    };
    const onExit = () => finish(failed(job, "the simulation ended its process"));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      finish(failed(job, "the simulation does not end"));
    }, LONGEST_MS);
    child.on("message", finish);
    child.on("exit", onExit);
    child.send(job, (error) => {
      if (error !== null) finish(undefined);
    });
  });
}
