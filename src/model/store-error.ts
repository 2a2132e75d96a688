import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/**
 * Why the store failed.
 * - `STORE_FULL`: the disk is full.
 * - `STORE_BUSY`: another process held the file for longer than the busy timeout.
 * - `STORE_READONLY`: the process is no longer permitted to write.
 * - `STORE_UNREACHABLE`: the database server does not answer.
 * - `STORE_REPLACED`: another daemon has become active on the state, so this one writes nothing
 *   more.
 * - `STORE_WRITE_FAILED`: any other refusal by the file, the disk or the server.
 */
export type StoreFailure =
  | "STORE_FULL"
  | "STORE_BUSY"
  | "STORE_READONLY"
  | "STORE_UNREACHABLE"
  | "STORE_REPLACED"
  | "STORE_WRITE_FAILED";

/**
 * Thrown by an open Store that could not do what a call requested. The call's transaction is rolled
 * back completely, so the call can be repeated.
 */
export class StoreError extends ChirpwatchError {
  readonly failure: StoreFailure;
  constructor(failure: StoreFailure, message: string, details: ErrorDetails = {}) {
    super(failure, message, { retry: "later", ...details });
    this.failure = failure;
  }
}
