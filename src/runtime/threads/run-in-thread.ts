/**
 * Runs one long task in a thread of its own, so that it takes another core. The thread ends with the
 * task. Data and result are copied, so they must be plain.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ChirpwatchError } from "../../model/errors.ts";
import { ExitError } from "../../model/exit-code.ts";
import type { TaskError, TaskMessage } from "./answer-task.ts";

/** Whether a thread would get a core of its own. On a single core it would only take longer. */
export const hasSpareCore = (): boolean => availableParallelism() > 1;

export interface ThreadWatch {
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Ends the thread. The task then fails. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the task of a script, which calls `answerTask`.
 *
 * @throws what the task throws; for an error of this project, an ExitError or a ChirpwatchError
 */
export function runInThread<Result>(
  script: string | URL,
  data: unknown,
  { onProgress, signal }: ThreadWatch,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(script, { workerData: data });
    const end = () => void thread.terminate();
    signal?.addEventListener("abort", end);
    thread.on("message", (message: TaskMessage<Result>) => {
      if (message.kind === "progress") onProgress(message.share);
      else if (message.kind === "done") resolve(message.result);
      else reject(errorOf(message.error));
    });
    thread.on("error", reject);
    thread.on("exit", (code) => {
      signal?.removeEventListener("abort", end);
      // This has no effect after a result.
      reject(
        signal?.reason ?? new Error(`the thread ended with code ${code} and without a result`),
      );
    });
  });
}

const errorOf = ({ code, message, hint, exitCode }: TaskError): ChirpwatchError =>
  exitCode === undefined
    ? new ChirpwatchError(code, message, { hint })
    : new ExitError(exitCode, code, message, { hint });
