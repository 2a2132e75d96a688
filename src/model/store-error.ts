import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/**
 * Why the store failed.
 * - `STORE_FULL`: the disk is full.
 * - `STORE_BUSY`: another process holds the file for longer than the busy timeout.
 * - `STORE_READONLY`: permission to write was lost.
 * - `STORE_UNREACHABLE`: the database server does not answer.
 * - `STORE_REPLACED`: another daemon has become active on the state, so this one writes nothing
 *   more.
 * - `STORE_WRITE_FAILED`: anything else that the file, the disk or the server refused.
 */
export type StoreFailure =
  | "STORE_FULL"
  | "STORE_BUSY"
  | "STORE_READONLY"
  | "STORE_UNREACHABLE"
  | "STORE_REPLACED"
  | "STORE_WRITE_FAILED";

/**
 * Thrown by a Store that was open and could not do what was requested. Its transaction is rolled
 * back completely, so the call can be repeated.
 */
export class StoreError extends ChirpwatchError {
  readonly failure: StoreFailure;
  constructor(failure: StoreFailure, message: string, details: ErrorDetails = {}) {
    super(failure, message, { retry: "later", ...details });
    this.failure = failure;
  }
}
