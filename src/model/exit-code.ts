import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/** What a command's exit code means; DESIGN of the commands, and docs/commands.md. */
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
 * Ends a command with a code of its own. Thrown where the reason to stop is known; caught by main
 * only.
 */
export class ExitError extends ChirpwatchError {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, code: string, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
    this.exitCode = exitCode;
  }
}
