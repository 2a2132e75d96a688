import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/** The meaning of a command's exit codes; see docs/commands.md. */
export const EXIT = {
  good: 0,
  failed: 1,
  usage: 2,
  overBudget: 3,
  internal: 70,
  cannotCreate: 73,
  storage: 74,
  alreadyRunning: 75,
  badConfig: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Ends a command with a certain exit code. It is thrown where the reason is known, and caught only
 * by main.
 */
export class ExitError extends ChirpwatchError {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, code: string, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
    this.exitCode = exitCode;
  }
}
