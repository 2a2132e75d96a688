/**
 * The code that runs inside a thread that `run-in-thread.ts` starts: does the one task of the thread
 * and sends the result.
 */
import { parentPort, workerData } from "node:worker_threads";
import { ChirpwatchError } from "../../model/errors.ts";
import { type ExitCode, ExitError } from "../../model/exit-code.ts";

/** An error of this project. Its class would be lost on the way. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Set for an ExitError. */
  readonly exitCode?: ExitCode;
}

/** A message from the thread. The last one has the result or the error. */
export type TaskMessage<Result> =
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: TaskError };

export function answerTask<Data, Result>(
  work: (data: Data, onProgress: (share: number) => void) => Promise<Result>,
): void {
  const send = (message: TaskMessage<Result>) => parentPort?.postMessage(message);
  const run = async () => {
    try {
      const result = await work(workerData as Data, (share) => send({ kind: "progress", share }));
      send({ kind: "done", result });
    } catch (error) {
      // Node passes any other error on as it is, with its stack.
      if (!(error instanceof ChirpwatchError)) throw error;
      send({ kind: "failed", error: taskError(error) });
    }
  };
  void run();
}

const taskError = (error: ChirpwatchError): TaskError => ({
  ...{ code: error.code, message: error.message, hint: error.hint },
  ...(error instanceof ExitError ? { exitCode: error.exitCode } : {}),
});
